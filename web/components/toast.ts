import { notifications } from '@mantine/notifications';
import { problemOf } from '../app/problem.ts';

/** Reports success. */
export const toast = (message: string, title?: string): void => {
  notifications.show({
    color: 'teal',
    message,
    ...(title === undefined ? {} : { title }),
    closeButtonProps: { 'aria-label': 'Dismiss' },
  });
};

/** Reports an error that has no other place on the page. */
export function toastProblem(error: unknown, title = 'Something went wrong'): void {
  const { message, requestId, status } = problemOf(error);
  notifications.show({
    color: 'red',
    title,
    message:
      requestId !== null && status >= 500 && !message.includes(requestId) ? `${message} Request id ${requestId}.` : message,
    autoClose: 10_000,
    closeButtonProps: { 'aria-label': 'Dismiss' },
  });
}
