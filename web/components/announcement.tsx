import { useCallback, useState } from 'react';

/** Says something to screen readers; the element must stay on the page, since one that comes with its text is often not read. */
export function useAnnouncement() {
  const [text, setText] = useState('');
  // the same words again are read again only where the text differs
  const announce = useCallback((words: string) => setText((before) => (before === words ? `${words}\u00a0` : words)), []);
  const announcement = (
    <div role="status" className="visually-hidden">
      {text}
    </div>
  );
  return { announce, announcement } as const;
}
