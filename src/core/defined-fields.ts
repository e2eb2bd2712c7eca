/** Fields that may be undefined become optional. */
export type DefinedFields<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** Copies an object without the fields that are undefined. */
export function definedFields<T extends object>(fields: T): DefinedFields<T>;
export function definedFields(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** Copies an object without the fields that are undefined, null or empty text. */
export function filledFields<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined | null | ''> };
export function filledFields(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null && value !== ''));
}
