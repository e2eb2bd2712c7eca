import type { ChangeSide, QueryChange } from './query-changes.ts';

/** A change in a sentence, for authors. */
export function describeChange({ kind, path, from, to, breaking }: QueryChange): string {
  const name = path.slice(path.indexOf('.') + 1);
  const [before, after] = [write(from), write(to)];
  switch (kind) {
    case 'parameterRemoved':
      return `The parameter ${name} was removed.`;
    case 'parameterAdded':
      if (typeof to === 'string' && to.startsWith('user.')) return `The parameter ${name} was added. It is bound to ${to}.`;
      return breaking ? `The parameter ${name} was added. Callers must send it.` : `The optional parameter ${name} was added.`;
    case 'parameterRequired':
      return from === false
        ? `The parameter ${name} is now required.`
        : `The parameter ${name} has no default any more, and is required.`;
    case 'parameterOptional':
      return `The parameter ${name} is no longer required.`;
    case 'parameterDefault':
      return `The default of ${name} changed from ${from === null ? 'none' : `"${before}"`} to ${to === null ? 'none' : `"${after}"`}.`;
    case 'parameterNarrowed':
      return `The type of ${name} changed from ${before} to ${after}, which does not take every earlier value.`;
    case 'parameterWidened':
      return `The type of ${name} changed from ${before} to ${after}, which takes every earlier value.`;
    case 'parameterSingle':
      return `The parameter ${name} takes a single value instead of a list.`;
    case 'parameterList':
      return `The parameter ${name} takes a list.`;
    case 'parameterBound':
      return from === null
        ? `The parameter ${name} is now bound to ${after}. Callers cannot send it.`
        : `The parameter ${name} is bound to ${after} instead of ${before}.`;
    case 'parameterUnbound':
      return `The parameter ${name} is no longer bound to ${before}. Callers may send it.`;
    case 'valuesRemoved':
      return `The parameter ${name} no longer takes ${before}.`;
    case 'valuesAdded':
      return `The parameter ${name} also takes ${after}.`;
    case 'valuesClosed':
      return `The parameter ${name} takes only ${after}.`;
    case 'valuesOpened':
      return `The parameter ${name} takes any value.`;
    case 'choicesRemoved':
      return `The parameter ${name} no longer has the choices of ${before}.`;
    case 'choicesAdded':
      return `The parameter ${name} has the choices of ${after}.`;
    case 'choicesChanged':
      return `The parameter ${name} has other choices: ${before === after ? 'other columns or parameters of ' : ''}${after}.`;
    case 'choicesClosed':
      return `The parameter ${name} takes only its choices.`;
    case 'choicesOpened':
      return `The parameter ${name} also takes values that are not among its choices.`;
    case 'columnRemoved':
      return `The column ${name} was removed.`;
    case 'columnRenamed':
      return `The column ${name} was renamed to ${after}.`;
    case 'columnType':
      return `The type of the column ${name} changed from ${before} to ${after}.`;
    case 'columnNullable':
      return `The column ${name} may be NULL.`;
    case 'columnAdded':
      return `The column ${name} was added.`;
    case 'columnsReordered':
      return `The columns are in another order: ${after}. Readers of CSV and xlsx go by position.`;
    case 'maxRowsLowered':
      return `The row limit was lowered from ${from === null ? 'none' : before} to ${after}.`;
    case 'maxRowsRaised':
      return `The row limit was raised from ${before} to ${to === null ? 'none' : after}.`;
    case 'epilogueAdded':
      return 'The query writes data. It cannot be read by GET, embedded or linked to.';
  }
}

const MOST_LISTED = 20;

function write(side: ChangeSide): string {
  if (side === null || typeof side !== 'object') return String(side);
  const listed = side.slice(0, MOST_LISTED).join(', ');
  return side.length > MOST_LISTED ? `${listed} and ${side.length - MOST_LISTED} more` : listed;
}
