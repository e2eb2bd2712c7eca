import { closedValues } from '../../catalog/closed-values.ts';
import { plainName } from '../../catalog/parameter.ts';
import { type DeclaredParameter, failed, type Failure, fieldInvalid, type Result, succeeded } from '../../core/errors.ts';
import type { Choice } from '../../pipeline/steps/choices.ts';
import type { Continuations } from '../../results/continuation.ts';
import { foldSeparators, isObject } from '../input/fields.ts';
import { parseJson } from '../input/json.ts';
import type { Params } from './json-rpc.ts';
import type { RpcRequest } from './protocol.ts';
import { encodeResult } from './tool-result.ts';
import type { Tool } from './tool.ts';
import { parameterSchema } from './typed-tools.ts';

// The response to a call that lacks required parameters is a form. The client repeats the call with what the user entered.

const FORM = 'parameters'; // the key of the only form
const LIFETIME_MS = 600_000;

/** The parameters that an earlier response requested. The repeated call must be by the same user, for the same tool and query. */
export interface Asked {
  readonly userId: string;
  readonly queryId: string;
}

export type InputForms = ReturnType<typeof createInputForms>;

/** The choices of a parameter that come from another query; empty if there are none, or too many for a form. */
export type ChoicesOf = (queryName: string, parameter: string) => Promise<readonly Choice[]>;

type Answered = { readonly sent: Params; readonly asked?: Asked } | 'declined';

/** Whether the client shows forms. An empty capability means forms. */
export function showsForms(capabilities: unknown): boolean {
  if (!isObject(capabilities) || !isObject(capabilities.elicitation)) return false;
  const modes = Object.keys(capabilities.elicitation);
  return modes.length === 0 || modes.includes('form');
}

export function createInputForms(continuations: Continuations, now: () => number) {
  return {
    /** The response to a call without required parameters; null if the failure is another one. */
    async formFor(request: RpcRequest, tool: Tool, failure: Failure, choicesOf: ChoicesOf): Promise<Result<string> | null> {
      const missing = 'missing' in failure ? failure.missing : undefined;
      if (missing === undefined || tool.withAnswers === undefined) return null;
      const { userId, queryId, queryName } = missing;
      const fields: FormField[] = [];
      for (const each of missing.parameters)
        fields.push({ parameter: each, choices: await listChoices(queryName, each, choicesOf) });
      const lists = fields.filter(isTextList).map(({ parameter }) => plainName(parameter.name));
      const state = { kind: 'input' as const, userId, queryId, tool: tool.name, lists, expiresAt: now() + LIFETIME_MS };
      return encodeResult(request, {
        resultType: 'input_required',
        inputRequests: { [FORM]: { method: 'elicitation/create', params: formOf(queryName, fields) } },
        requestState: continuations.issue(state),
      });
    },
    /** The arguments of a repeated call with what the user entered. */
    readAnswer(tool: Tool, params: Params, sent: Params): Result<Answered> {
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
      return succeeded({ sent: tool.withAnswers(sent, splitLists(response.content, state.lists)), asked });
    },
  };
}

interface FormField {
  readonly parameter: DeclaredParameter;
  readonly choices: readonly Choice[];
}

/** Choices that depend on other parameters are left out: the user may still have to enter those. */
async function listChoices(queryName: string, parameter: DeclaredParameter, choicesOf: ChoicesOf): Promise<readonly Choice[]> {
  const { name, choices } = parameter;
  const closed = closedValues(parameter);
  if (closed !== undefined) return closed.map((value) => ({ value, label: value }));
  if (choices === undefined || Object.keys(choices.parameters ?? {}).length > 0) return [];
  return choicesOf(queryName, name);
}

function formOf(queryName: string, fields: readonly FormField[]) {
  const parameters = fields.map(({ parameter }) => parameter);
  const names = parameters.map(({ name }) => name).join(', ');
  return {
    mode: 'form',
    message: `The query ${queryName} needs ${parameters.length === 1 ? 'a value' : 'values'} for ${names}.`,
    requestedSchema: {
      type: 'object',
      properties: Object.fromEntries(fields.map((each) => [plainName(each.parameter.name), fieldOf(each)])),
      required: parameters.map(({ name }) => plainName(name)),
    },
  };
}

/** Forms have fields of plain types: choices are texts, and a list without choices is one text. */
function fieldOf(field: FormField) {
  const { parameter, choices } = field;
  const { type, description } = parameterSchema(parameter);
  const title = plainName(parameter.name);
  if (isTextList(field)) return { type: 'string', title, description: `${description} Separate the values by commas.` };
  if (choices.length === 0) return { type, title, description };
  const titled = choices.some(({ value, label }) => value !== label);
  const options = choices.map(({ value, label }) => ({ const: value, title: label }));
  const values = choices.map(({ value }) => value);
  if (parameter.multiple === true) {
    const items = titled ? { anyOf: options } : { type: 'string', enum: values };
    return { type: 'array', title, description, minItems: 1, items };
  }
  return { type: 'string', title, description, ...(titled ? { oneOf: options } : { enum: values }) };
}

const isTextList = ({ parameter, choices }: FormField): boolean => parameter.multiple === true && choices.length === 0;

/** The lists that were entered as one text. */
const splitLists = (content: Params, lists: readonly string[]): Params =>
  Object.fromEntries(
    Object.entries(content).map(([name, value]) => {
      if (typeof value !== 'string' || !lists.includes(name)) return [name, value];
      const parts = value.split(',').map((each) => each.trim());
      return [name, parts.filter((each) => each !== '')];
    }),
  );

/** For tools with the argument `parameters`, in any of its forms. */
export function toParameters(sent: Params, answers: Params): Params {
  const key = Object.keys(sent).find((each) => foldSeparators(each) === 'parameters' && sent[each] !== null) ?? 'parameters';
  const before = sent[key];
  const json = typeof before === 'string' && before !== '' ? parseJson(before, { isParameters: true }) : null;
  const value = json?.ok === true ? json.value : before;
  if (Array.isArray(value)) {
    const added = Object.entries(answers).map(([ParameterName, Value]) => ({ ParameterName, Value }));
    return { ...sent, [key]: [...value, ...added] };
  }
  return { ...sent, [key]: { ...(isObject(value) ? value : {}), ...answers } };
}
