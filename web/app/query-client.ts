import { QueryClient } from '@tanstack/react-query';
import { problemOf } from './problem.ts';

const FRESH_MS = 10_000;
const MAX_RETRIES = 2;

/** Reads are repeated only where repeating helps: no answer, or a service that is overloaded for a moment. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: FRESH_MS,
      networkMode: 'always', // the service may well be on this machine
      retry: (failures, error) => {
        const { status } = problemOf(error);
        return failures < MAX_RETRIES && (status === 0 || status === 503);
      },
    },
    mutations: { networkMode: 'always', retry: false },
  },
});
