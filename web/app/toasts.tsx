import { Notifications } from '@mantine/notifications';

/** Shows the messages of `toast` and `toastProblem`. */
export const Toasts = () => <Notifications position="bottom-right" />;
