import type { NewUser, UserChange } from '../../app/api-types.ts';
import type { User } from '../../app/wire.ts';
import { nameItems } from '../../components/fields/field-errors.ts';

export interface UserValues {
  readonly kind: User['kind'];
  readonly username: string;
  readonly fullName: string;
  readonly email: string;
  readonly password: string;
  readonly owner: string; // of an application
  readonly roles: string[];
  readonly scope: 'some' | 'all';
  readonly databases: string[];
  readonly attributes: AttributeValues[];
  readonly expiresAt: string; // '': never
  readonly disabled: boolean;
}

/** An attribute as edited; one without a name is not sent. */
export interface AttributeValues {
  readonly id: number; // of the row
  readonly name: string;
  readonly values: string[];
}

/** `me` owns new applications unless another name is entered. */
export function toUserValues(user: User | null, me = ''): UserValues {
  if (user === null) return { ...emptyUser, owner: me };
  const { kind, username, fullName, email, roles, databases, attributes, expiresAt, disabled } = user;
  const isAll = databases.includes('*');
  return {
    ...{ kind, username, fullName, email, disabled, password: '', owner: user.owner ?? '', roles: [...roles] },
    scope: isAll ? 'all' : 'some',
    databases: isAll ? [] : [...databases],
    attributes: Object.entries(attributes).map(([name, value], id) => ({ id, name, values: [value].flat() })),
    expiresAt: expiresAt === null ? '' : expiresAt.replace('T23:59:59.999Z', ''),
  };
}

export const toNewUserBody = (values: UserValues): NewUser => ({
  ...toWire(values),
  username: values.username.trim(),
  ...(values.kind === 'application' ? { kind: values.kind } : { password: values.password }),
});

/** Only the changed fields. */
export function toUserChange(user: User, values: UserValues): UserChange {
  const before: Record<string, unknown> = toWire(toUserValues(user));
  const changed = Object.entries(toWire(values)).filter(
    ([field, value]) => JSON.stringify(value) !== JSON.stringify(before[field]),
  );
  return { ...Object.fromEntries(changed), ...(values.password === '' ? {} : { password: values.password }) };
}

/** Whether any field of the form is editable. One's own password and attributes are not among its fields. */
export const canChange = ({ id, canEditRights, lockedFields }: User, ownId: string): boolean =>
  id !== ownId || canEditRights || identityFields.some((field) => !lockedFields.includes(field));

const identityFields = ['username', 'fullName', 'email'];

/** The service ends a user's sessions when their rights change. */
export const endsSessions = (change: UserChange): boolean =>
  ['password', 'roles', 'databases', 'expiresAt', 'disabled'].some((field) => field in change);

/** An attribute with one value is sent as text. */
function toWireAttributes(attributes: readonly AttributeValues[]): Record<string, string | string[]> {
  const named = attributes.filter(({ name, values }) => name.trim() !== '' && values.length > 0);
  return Object.fromEntries(named.map(({ name, values }) => [name.trim(), values.length === 1 ? (values[0] ?? '') : values]));
}

/** Names the roles, databases and attributes in the errors of a request. */
export function withNames(error: unknown, values: UserValues): unknown {
  const { roles, databases } = toWire(values); // sorted, unlike those of the form
  return nameItems(error, { roles, databases, attributes: [] });
}

const emptyUser: UserValues = {
  kind: 'person',
  username: '',
  fullName: '',
  email: '',
  password: '',
  owner: '',
  roles: [],
  scope: 'some',
  databases: [],
  attributes: [],
  expiresAt: '',
  disabled: false,
};

const toWire = ({
  kind,
  username,
  fullName,
  email,
  owner,
  roles,
  scope,
  databases,
  attributes,
  expiresAt,
  disabled,
}: UserValues) => ({
  username: username.trim(),
  fullName: fullName.trim(),
  ...(kind === 'application' ? { owner: owner.trim() } : { email: email.trim() }),
  roles: roles.toSorted(),
  databases: scope === 'all' ? ['*'] : databases.toSorted(),
  attributes: toWireAttributes(attributes),
  expiresAt: expiresAt.trim() === '' ? null : expiresAt.trim(),
  disabled,
});
