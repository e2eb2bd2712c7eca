import { notifications } from '@mantine/notifications';
import { problemOf } from '../app/problem.ts';

/** Something was done. */
export const toast = (message: string, title?: string): void => {
  notifications.show({
    color: 'teal',
    message,
    ...(title === undefined ? {} : { title }),
    closeButtonProps: { 'aria-label': 'Dismiss' },
  });
};

/** Something failed that has no place of its own on the page. */
export function toastProblem(error: unknown, title = 'That did not work'): void {
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
