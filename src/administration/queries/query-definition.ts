import { isDeepStrictEqual } from 'node:util';
import { isInScope, type Principal } from '../../access/principal.ts';
import type { QueryEdit } from '../../catalog/lifecycle.ts';
import { checkParameterDefinitions } from '../../catalog/parameter-definition.ts';
import { emptyLabels, partOf, type WrittenQuery } from '../../catalog/query-fields.ts';
import type { QueryDefinition, QueryVersion } from '../../catalog/query.ts';
import { type Failure, type FieldProblem, failed, fieldInvalid, type Result, succeeded } from '../../core/errors.ts';
import type { DatabaseRecord, Repositories } from '../../store/metadata-store.ts';
import { lineProblem } from '../name-problem.ts';
import { permissionDenied } from '../users/grant-rules.ts';
import { mayWrite } from './query-rights.ts';

export interface QueryInput extends Omit<WrittenQuery, 'aiAccess' | 'roles' | 'compatibility'> {
  /** Left out: unchanged. For a new query, or when an Epilogue is added: true unless it has an Epilogue. */
  readonly aiAccess?: boolean | undefined;
  /** Left out: unchanged; for a new query empty, which means every role. */
  readonly roles?: readonly string[] | undefined;
  /** Left out: unchanged; for a new query `warn`. */
  readonly compatibility?: WrittenQuery['compatibility'] | undefined;
  /** Left out: that of the draft, or empty if the edit starts a version. */
  readonly note?: string | undefined;
}

const MAX_NAME_LENGTH = 200;

/**
 * Resolves names to ids and checks everything that does not require running the query. `database` is the one named, `before` the
 * version that an edit starts from; null for a new query.
 */
export async function resolveQuery(
  { roles }: Pick<Repositories, 'roles'>,
  actor: Principal,
  input: QueryInput,
  database: DatabaseRecord | null,
  before: QueryVersion | null,
): Promise<Result<{ readonly edit: QueryEdit; readonly database: DatabaseRecord }>> {
  const roleIdsByName = new Map((await roles.listAll()).map(({ id, name }) => [name, id]));
  // saved ones stay valid when the rules become stricter, so that roles and descriptions can still be changed
  const isSaved = before !== null && isDeepStrictEqual(input.parameters, before.definition.parameters);
  const problems: FieldProblem[] = [...nameProblems(input.name), ...(isSaved ? [] : checkParameterDefinitions(input.parameters))];
  const usable = database !== null && mayUse(actor, database);
  if (!usable) problems.unshift(unknownDatabase);
  const named = input.roles?.flatMap((name, index) => {
    const id = roleIdsByName.get(name);
    if (id === undefined) problems.push({ field: `roles.${index}`, message: `There is no role named ${name}.` });
    return id ?? [];
  });
  if (problems.length > 0 || !usable) return failed({ kind: 'FieldInvalid', problems });

  const epilogue = input.epilogue?.trim() === '' ? null : input.epilogue;
  const definition = { ...partOf('definition', { ...input, epilogue }), databaseId: database.id };
  const isDefaulted = before === null || (before.definition.epilogue === undefined && definition.epilogue !== undefined);
  const aiAccess = input.aiAccess ?? (isDefaulted ? definition.epilogue === undefined : before.labels.aiAccess);
  const compatibility = input.compatibility ?? before?.labels.compatibility ?? emptyLabels.compatibility;
  const roleIds = named ?? before?.labels.roleIds ?? [];
  const tags = [...new Set(input.tags)];
  const labels = { ...partOf('labels', { ...input, tags, aiAccess, compatibility }), roleIds: [...new Set(roleIds)] };
  return succeeded({ edit: { definition, labels, note: input.note }, database });
}

export const mayUse = (actor: Principal, database: DatabaseRecord): boolean =>
  database.deletedAt === null && isInScope(actor, database.id);

/** Checks whether the actor may save or publish SQL that writes to this database. */
export function checkEpilogue(actor: Principal, definition: QueryDefinition, database: DatabaseRecord): Result<null> {
  if (!mayWrite(actor, definition)) return permissionDenied('queries.epilogue');
  if (definition.epilogue === undefined) return succeeded(null);
  return database.writable ? succeeded(null) : failed(notWritableFailure(database));
}

export const notWritableFailure = (database: DatabaseRecord): Failure =>
  fieldInvalid('epilogue', `The database ${database.name} is not marked writable, so queries cannot write to it.`);

export const unknownDatabase: FieldProblem = { field: 'database', message: 'There is no database with this name in your scope.' };

function nameProblems(name: string): FieldProblem[] {
  const message =
    lineProblem(name, MAX_NAME_LENGTH) ??
    (/[\p{L}\p{Nd}]/u.test(name) ? null : 'It must contain a letter or a digit, because the technical name is derived from it.');
  return message === null ? [] : [{ field: 'name', message }];
}
