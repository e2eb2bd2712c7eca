import { randomUUID } from 'node:crypto';
import { administratorRole, permissions as allPermissions, type Permission } from '../../access/permission.ts';
import { has, type Principal } from '../../access/principal.ts';
import type { Role } from '../../access/user.ts';
import { failed, fieldInvalid, succeeded } from '../../core/errors.ts';
import { transact } from '../../pipeline/steps/store-failure.ts';
import type { ListRequest, MetadataStore, Repositories } from '../../store/metadata-store.ts';
import { type AuditNote, differencesOf, type IfMatch } from '../change.ts';
import { nameProblem } from '../name-problem.ts';
import {
  administratorNeeded,
  permissionDenied,
  findMissingGuardedRole,
  isLimitedByScope,
  isScoped,
  findMissingPermission,
  roleRights,
  findMissingPrivilegeForRoleName,
} from './grant-rules.ts';

export type RoleFields = Pick<Role, 'name' | 'permissions'>;
/** Fields left out stay unchanged. */
export type RoleChange = { readonly [K in keyof RoleFields]?: RoleFields[K] | undefined };

export type Roles = ReturnType<typeof createRoles>;

/**
 * Callers must have checked the permission `users.manage` before changes. Rights are read on each call, so changes apply
 * immediately.
 */
export function createRoles({ store }: { readonly store: MetadataStore }) {
  return {
    /** Full roles with `users.manage`; names with `queries.author`, for choosing the roles of a query. */
    async list(actor: Principal, request: ListRequest) {
      if (!seesRoles(actor)) return permissionDenied('users.manage');
      const [page, references] = await Promise.all([store.roles.list(request), readQueryReferences(store)]);
      return succeeded({ ...page, items: page.items.map((role) => roleView(actor, role, references)) });
    },
    async get(actor: Principal, id: string) {
      if (!seesRoles(actor)) return noRole;
      const role = await store.roles.get(id);
      return role === null ? noRole : succeeded(roleView(actor, role, await readQueryReferences(store)));
    },
    async create(actor: Principal, input: RoleFields, note: AuditNote) {
      const problem = nameProblem(input.name);
      if (problem !== null) return failed(fieldInvalid('name', problem));
      note.parameters = { role: input.name, permissions: input.permissions };
      const refusal = findMissingPermission(actor, input.permissions);
      if (refusal !== null) return refusal;
      const role: Role = {
        id: randomUUID(),
        name: input.name,
        permissions: sortPermissions(input.permissions),
        builtIn: false,
        version: 1,
      };
      return transact(store, nameTaken, async ({ roles, queries }) => {
        const nameRefusal = findMissingPrivilegeForRoleName(actor, null, role.name, await queries.listBoundSources());
        if (nameRefusal !== null) return nameRefusal;
        await roles.insert(role);
        return succeeded({ ...role, canGrant: true, canEdit: true }); // nobody can create a role that they could not grant
      });
    },
    async change(actor: Principal, id: string, input: RoleChange, ifMatch: IfMatch, note: AuditNote) {
      const problem = input.name === undefined ? null : nameProblem(input.name);
      if (problem !== null) return failed(fieldInvalid('name', problem));
      return transact(store, nameTaken, async (repositories) => {
        const found = await findChangeable(repositories, actor, id, ifMatch, note);
        if (!found.ok) return found;
        const before = found.value;
        const after: Role = {
          ...before,
          name: input.name ?? before.name,
          permissions: sortPermissions(input.permissions ?? before.permissions),
          version: before.version + 1,
        };
        note.parameters = { role: before.name, changed: differencesOf(fieldsOf(before), fieldsOf(after)) };
        const added = after.permissions.filter((permission) => !before.permissions.includes(permission));
        const references = await readQueryReferences(repositories);
        const refusal =
          findMissingPermission(actor, added) ??
          findMissingPrivilegeForRoleName(actor, before, after.name, references.boundSources);
        if (refusal !== null) return refusal;
        // holders of the role may have a wider scope than the actor
        if (added.some(isScoped) && isLimitedByScope(actor)) return administratorNeeded;
        await repositories.roles.update(after);
        return succeeded({ ...after, ...roleRights(actor, after, references) });
      });
    },
    async remove(actor: Principal, id: string, ifMatch: IfMatch, note: AuditNote) {
      return transact(
        store,
        { inUse: 'A user still holds this role, or a query names it. Remove it from them first.' },
        async (repositories) => {
          const found = await findChangeable(repositories, actor, id, ifMatch, note);
          if (!found.ok) return found;
          await repositories.roles.delete(id);
          return succeeded(null);
        },
      );
    },
  };
}

// authors choose the roles that may run their queries
const seesRoles = (actor: Principal): boolean => has(actor, 'users.manage') || has(actor, 'queries.author');
const roleView = (actor: Principal, role: Role, references: QueryReferences) =>
  has(actor, 'users.manage') ? { ...role, ...roleRights(actor, role, references) } : { id: role.id, name: role.name };

type QueryReferences = Parameters<typeof roleRights>[2];

const readQueryReferences = async ({ roles, queries }: Pick<Repositories, 'roles' | 'queries'>): Promise<QueryReferences> => ({
  guardedRoleIds: await roles.listNamedByQueries(),
  boundSources: await queries.listBoundSources(),
});

const noRole = failed({ kind: 'NotFound', what: 'role with this id' });
const fixedRole = failed({
  kind: 'StateConflict',
  reason: `The role ${administratorRole} cannot be changed or deleted. Create another role instead.`,
});
const nameTaken = { taken: 'Another role has this name; names are not case-sensitive.' };

/** The role, if the actor may change it: they need every right that it grants. */
async function findChangeable({ roles }: Repositories, actor: Principal, id: string, ifMatch: IfMatch, note: AuditNote) {
  const role = await roles.get(id);
  if (role === null) return noRole;
  note.parameters = { role: role.name };
  if (role.builtIn || role.name === administratorRole) return fixedRole;
  const refusal =
    findMissingPermission(actor, role.permissions) ?? findMissingGuardedRole(actor, [role], await roles.listNamedByQueries());
  if (refusal !== null) return refusal;
  if (ifMatch !== undefined && ifMatch !== role.version) return failed({ kind: 'VersionConflict' });
  return succeeded(role);
}

const fieldsOf = ({ name, permissions }: Role) => ({ name, permissions });

const sortPermissions = (unsorted: readonly Permission[]): Permission[] =>
  allPermissions.filter((permission) => unsorted.includes(permission));
