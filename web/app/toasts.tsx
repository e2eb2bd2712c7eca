import { Notifications } from '@mantine/notifications';

/** Where `toast` and `toastProblem` are shown. */
export const Toasts = () => <Notifications position="bottom-right" />;
