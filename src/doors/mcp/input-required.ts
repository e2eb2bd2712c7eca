import {
  type DeclaredParameter,
  type Failure,
  failed,
  fieldInvalid,
  type MissingInput,
  type Result,
  succeeded,
} from '../../errors.ts';
import type { Continuations } from '../../results/continuation.ts';
import { parseJson } from '../http/json-body.ts';
import { ignoringSeparators, isObject } from '../input/fields.ts';
import type { MessageId, Params } from './json-rpc.ts';
import { serverMeta } from './protocol.ts';
import type { Tool } from './tool.ts';
import { parameterSchema } from './typed-tools.ts';

// A call that lacks required parameters is answered with a form. The client repeats the call with what the user entered.

const FORM = 'parameters'; // the key of the only form
const LIFETIME_MS = 600_000;

/** What an earlier response asked for, and for whom: the repeated call must be by the same user, for the same tool and query. */
export interface Asked {
  readonly userId: string;
  readonly queryId: string;
}

export interface InputForms {
  /** The response to a call without required parameters; null if the failure is another one. */
  formFor(id: MessageId, tool: Tool, failure: Failure): string | null;
  /** The arguments of a repeated call with what the user entered. */
  answered(tool: Tool, params: Params, sent: Params): Result<Answered>;
}

type Answered = { readonly sent: Params; readonly asked?: Asked } | 'declined';

/** Whether the client shows forms. An empty capability means forms. */
export function showsForms(capabilities: unknown): boolean {
  if (!isObject(capabilities) || !isObject(capabilities.elicitation)) return false;
  const modes = Object.keys(capabilities.elicitation);
  return modes.length === 0 || modes.includes('form');
}

export function createInputForms(continuations: Continuations, now: () => number): InputForms {
  return {
    formFor(id, tool, failure) {
      const missing = 'missing' in failure ? failure.missing : undefined;
      if (missing === undefined || tool.withAnswers === undefined) return null;
      const { userId, queryId, parameters } = missing;
      const lists = parameters.filter(isTextList).map(plainName);
      const state = { kind: 'input' as const, userId, queryId, tool: tool.name, lists, expiresAt: now() + LIFETIME_MS };
      const result = {
        resultType: 'input_required',
        inputRequests: { [FORM]: { method: 'elicitation/create', params: formOf(missing) } },
        requestState: continuations.issue(state),
        _meta: serverMeta(),
      };
      return JSON.stringify({ jsonrpc: '2.0', result, id });
    },
    answered(tool, params, sent) {
      const { requestState, inputResponses } = params;
      if (requestState === undefined && inputResponses === undefined) return succeeded({ sent });
      const state = typeof requestState === 'string' ? continuations.read(requestState, 'input') : null;
      if (state === null || state.tool !== tool.name || state.expiresAt <= now() || tool.withAnswers === undefined)
        return failed({ kind: 'InputStateInvalid' });
      const asked = { userId: state.userId, queryId: state.queryId };
      const response = isObject(inputResponses) ? inputResponses[FORM] : undefined;
      if (response === undefined) return succeeded({ sent, asked }); // the form is sent again if it is still needed
      if (!isObject(response)) return failed(fieldInvalid('inputResponses', 'Expected an object with action and content.'));
      if (response.action !== 'accept') return succeeded('declined');
      if (!isObject(response.content))
        return failed(fieldInvalid('inputResponses', 'Expected content, an object, with the values.'));
      return succeeded({ sent: tool.withAnswers(sent, divided(response.content, state.lists)), asked });
    },
  };
}

function formOf({ queryName, parameters }: MissingInput) {
  const names = parameters.map(({ name }) => name).join(', ');
  return {
    mode: 'form',
    message: `The query ${queryName} needs ${parameters.length === 1 ? 'a value' : 'values'} for ${names}.`,
    requestedSchema: {
      type: 'object',
      properties: Object.fromEntries(parameters.map((each) => [plainName(each), fieldOf(each)])),
      required: parameters.map(plainName),
    },
  };
}

const plainName = ({ name }: DeclaredParameter): string => name.replace(/^@/, '');

/** Forms have fields of plain types: choices are texts, and a list without choices is one text. */
function fieldOf(parameter: DeclaredParameter) {
  const { type, description } = parameterSchema(parameter);
  const { values, multiple } = parameter;
  const title = plainName(parameter);
  if (isTextList(parameter)) return { type: 'string', title, description: `${description} Separate the values by commas.` };
  if (values === undefined || values.length === 0) return { type, title, description };
  return multiple === true
    ? { type: 'array', title, description, minItems: 1, items: { type: 'string', enum: values } }
    : { type: 'string', title, description, enum: values };
}

const isTextList = ({ multiple, values = [] }: DeclaredParameter): boolean => multiple === true && values.length === 0;

/** The lists that were entered as one text. */
const divided = (content: Params, lists: readonly string[]): Params =>
  Object.fromEntries(
    Object.entries(content).map(([name, value]) => {
      if (typeof value !== 'string' || !lists.includes(name)) return [name, value];
      const parts = value.split(',').map((each) => each.trim());
      return [name, parts.filter((each) => each !== '')];
    }),
  );

/** For tools with the argument `parameters`, in any of its forms. */
export function inParameters(sent: Params, answers: Params): Params {
  const key = Object.keys(sent).find((each) => ignoringSeparators(each) === 'parameters' && sent[each] !== null) ?? 'parameters';
  const before = sent[key];
  const json = typeof before === 'string' && before !== '' ? parseJson(before, { isParameters: true }) : null;
  const value = json?.ok === true ? json.value : before;
  if (Array.isArray(value)) {
    const added = Object.entries(answers).map(([ParameterName, Value]) => ({ ParameterName, Value }));
    return { ...sent, [key]: [...value, ...added] };
  }
  return { ...sent, [key]: { ...(isObject(value) ? value : {}), ...answers } };
}
