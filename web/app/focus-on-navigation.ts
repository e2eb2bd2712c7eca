import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';

/** A new page is announced: its heading gets the focus, as a browser's own navigation would begin anew. */
export function useFocusOnNavigation(): void {
  const router = useRouter();
  useEffect(
    () =>
      router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
        if (!pathChanged || fromLocation === undefined) return;
        const heading = document.querySelector<HTMLElement>('main h1') ?? document.getElementById('main');
        heading?.focus({ preventScroll: true });
      }),
    [router],
  );
}
