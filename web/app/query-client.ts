import { QueryClient } from '@tanstack/react-query';
import { problemOf } from './problem.ts';

const FRESH_MS = 10_000;
const MAX_RETRIES = 2;

/** Retries a read only if the service could not be reached or was overloaded. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: FRESH_MS,
      networkMode: 'always', // the service may be on this machine
      retry: (failures, error) => {
        const { status } = problemOf(error);
        return failures < MAX_RETRIES && (status === 0 || status === 503);
      },
    },
    mutations: { networkMode: 'always', retry: false },
  },
});
