import { QueryClient } from '@tanstack/react-query';
import { isTransient, problemOf } from './problem.ts';
import { whenReady } from './when-ready.ts';

const FRESH_MS = 10_000;
const MAX_RETRIES = 2;

const isAway = (error: unknown): boolean => error !== null && isTransient(problemOf(error));

/** Retries a read only if the service could not be reached or was overloaded: at once, and again when the service is ready. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: FRESH_MS,
      networkMode: 'always', // the service may be on this machine
      retry: (failures, error) => failures < MAX_RETRIES && isAway(error),
    },
    mutations: { networkMode: 'always', retry: false },
  },
});

let isWaiting = false;

queryClient.getQueryCache().subscribe((event) => {
  if (isWaiting || event.type !== 'updated' || event.action.type !== 'error' || !isAway(event.action.error)) return;
  isWaiting = true;
  whenReady(() => {
    isWaiting = false;
    void queryClient.refetchQueries({ type: 'active', predicate: ({ state }) => isAway(state.error) });
  });
});
