/** The environment variable from which copied code reads the key. */
export const KEY_VARIABLE = 'SLUICE_API_KEY';
