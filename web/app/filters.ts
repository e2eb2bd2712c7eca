/** What stands behind the question mark of an address: words, each once. */
export type Filters = Readonly<Record<string, string | undefined>>;
