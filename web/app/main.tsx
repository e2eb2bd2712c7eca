import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import '@mantine/spotlight/styles.css';
import './app.css';
import './print.css';
import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { ModalsProvider } from '@mantine/modals';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { type ComponentType, lazy, StrictMode, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import { onSessionEnd } from './api.ts';
import { openBelowBasePath } from './base-path.ts';
import { queryClient } from './query-client.ts';
import { router } from './routes.tsx';
import { forgetSession } from './session.tsx';
import { cssVariables, theme } from './theme.ts';
import { isServiceReady } from './when-ready.ts';

// loaded after the page; earlier messages are shown then, and the page works without them
const Toasts = lazy<ComponentType>(() => import('./toasts.tsx').then((module) => ({ default: module.Toasts }), doNothing));

const MARK = 'sluice-reloaded-at';
const AGAIN_AFTER_MS = 10_000;

const colorScheme = localStorageColorSchemeManager({ key: 'sluice-color-scheme' });

onSessionEnd(async (problem) => {
  const { publicHref: next, pathname } = router.state.location;
  if (pathname !== '/sign-in') await router.navigate({ to: '/sign-in', search: { next, reason: problem.code } });
  forgetSession();
});
reloadWhenReplaced();

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no #root');

if (openBelowBasePath(window.location)) renderIn(root);

function renderIn(element: HTMLElement): void {
  createRoot(element).render(
    <StrictMode>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={cssVariables}
        colorSchemeManager={colorScheme}
        defaultColorScheme="auto"
      >
        <QueryClientProvider client={queryClient}>
          <ModalsProvider>
            <Suspense>
              <Toasts />
            </Suspense>
            <RouterProvider router={router} />
          </ModalsProvider>
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  );
}

/** After an upgrade, an open tab may request a file that no longer exists: a reload fetches the new index.html. */
function reloadWhenReplaced(): void {
  window.addEventListener('vite:preloadError', () => {
    const last = Number(sessionStorage.getItem(MARK) ?? 0);
    if (Date.now() - last < AGAIN_AFTER_MS) return; // the file is missing for another reason; the error page reports it
    void isServiceReady().then((ready) => {
      if (!ready) return; // a reload would show the browser's own error
      sessionStorage.setItem(MARK, String(Date.now()));
      window.location.reload();
    });
  });
}

function doNothing() {
  return { default: () => null };
}
