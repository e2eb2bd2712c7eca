import { createSpotlight } from '@mantine/spotlight';

/** The state of the global search (Ctrl K), and the functions that open and close it. */
export const [searchStore, globalSearch] = createSpotlight();
