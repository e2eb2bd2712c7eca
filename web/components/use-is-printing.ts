import { useEffect, useState } from 'react';
import { flushSync } from 'react-dom';

const print = typeof window === 'undefined' ? null : window.matchMedia('print');
let scheme: string | undefined; // of the screen

/** Paper is white: prints in the light scheme. Charts are drawn again for it. */
print?.addEventListener('change', () => {
  const { dataset } = document.documentElement;
  if (print.matches) {
    scheme = dataset.mantineColorScheme;
    dataset.mantineColorScheme = 'light';
    dataset.printing = '';
  } else {
    dataset.mantineColorScheme = scheme;
    delete dataset.printing;
  }
});

/** Whether the page is being printed: the browser prints what is rendered when this returns. */
export function useIsPrinting(): boolean {
  const [isPrinting, setPrinting] = useState(false);
  useEffect(() => {
    const update = () => flushSync(() => setPrinting(print?.matches === true));
    print?.addEventListener('change', update);
    return () => print?.removeEventListener('change', update);
  }, []);
  return isPrinting;
}
