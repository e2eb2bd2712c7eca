import { useMediaQuery } from '@mantine/hooks';

/** Whether the window is narrower than 600 px: too narrow for tables, which become cards. */
export const useIsPhone = (): boolean => useMediaQuery('(max-width: 599px)', false, { getInitialValueInEffect: false });
