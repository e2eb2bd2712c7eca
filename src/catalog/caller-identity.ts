/** What is known about the caller of a query. A parameter with `boundTo` takes its value from it. */
export interface CallerIdentity {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly fullName: string;
  readonly roles: readonly string[];
  readonly attributes: Readonly<Record<string, string | readonly string[]>>;
  readonly of?: 'viewer'; // for whom an application vouches; otherwise an account
}

const fields = {
  'user.id': ({ id }: CallerIdentity) => id,
  'user.name': ({ name }: CallerIdentity) => name,
  'user.email': ({ email }: CallerIdentity) => email,
  'user.fullName': ({ fullName }: CallerIdentity) => fullName,
  'user.roles': ({ roles }: CallerIdentity) => roles,
};
const attributePrefix = 'user.attributes.';

export const callerFields: readonly string[] = Object.keys(fields);

/** The attribute that a source names; null for another source. */
export const attributeIn = (source: string): string | null =>
  source.startsWith(attributePrefix) && source.length > attributePrefix.length ? source.slice(attributePrefix.length) : null;

export const isCallerSource = (source: string): boolean => Object.hasOwn(fields, source) || attributeIn(source) !== null;

/** The values of a source; empty if the caller has none. */
export function callerValues(source: string, caller: CallerIdentity): readonly string[] {
  const attribute = attributeIn(source);
  const field = Object.entries(fields).find(([name]) => name === source)?.[1];
  const value =
    field?.(caller) ?? (attribute !== null && Object.hasOwn(caller.attributes, attribute) ? caller.attributes[attribute] : []);
  return [value ?? []].flat().filter((each) => each !== '');
}
