import type { AuditEntry } from '../app/wire.ts';

/** The target of an action that is not a query run, such as “user ana”; null if the entry does not name it. */
export function targetText({ action, parameters }: Pick<AuditEntry, 'action' | 'parameters'>): string | null {
  if (parameters === null) return null;
  if (action === 'settings.update') return Object.keys(parameters).join(', ') || null;
  const readName = (field: string): string | null =>
    typeof parameters[field] === 'string' ? `${field} ${parameters[field]}` : null;
  const [kind = ''] = action.split('.');
  const target = kind === 'key' ? keyText(parameters, readName) : kind === 'account' ? readName('user') : readName(kind);
  const owner = ['key', 'execution', 'application'].includes(kind) ? readName('user') : null;
  return [target, owner].filter((text) => text !== null).join(' of ') || null;
}

/** One key, or several: all keys of a user can be revoked at once. */
function keyText(parameters: Readonly<Record<string, unknown>>, readName: (field: string) => string | null): string | null {
  const { keys } = parameters;
  return Array.isArray(keys) ? `keys ${keys.join(', ') || 'none'}` : readName('key');
}
