import type { Result } from '../../core/errors.ts';
import type { Call } from '../../pipeline/call.ts';
import type { CancelCall, CancelRun } from '../../pipeline/executions.ts';
import type { Browse } from '../../pipeline/use-cases/browse.ts';
import type { DeliverChartPage } from '../../pipeline/use-cases/chart-page.ts';
import type { DeliverChoices } from '../../pipeline/use-cases/choices.ts';
import type { DeliverLongExport } from '../../pipeline/use-cases/long-export.ts';
import type { DeliverPage } from '../../pipeline/use-cases/page.ts';
import type { ResumeStream, StartStream } from '../../pipeline/use-cases/stream.ts';
import type { Continuations } from '../../results/continuation.ts';
import { type Read, type Field, fieldTable, type FieldTable, type FieldValues, foldSeparators } from '../input/fields.ts';
import type { JsonSchema } from '../wire/json-schema.ts';
import { parameterValues as parameterField } from '../wire/parameters.ts';
import { requireField, text as textField } from '../wire/values.ts';
import type { Params } from './json-rpc.ts';

export interface ToolParts {
  readonly browse: Browse;
  readonly cancelCall: CancelCall;
  readonly cancelRun: CancelRun;
  readonly deliverPage: DeliverPage;
  readonly startStream: StartStream;
  readonly resumeStream: ResumeStream;
  readonly deliverChartPage: DeliverChartPage;
  readonly deliverChoices: DeliverChoices;
  readonly deliverLongExport: DeliverLongExport;
  readonly baseUrl: () => string;
  readonly rowsDefault: () => number;
  readonly waitMs: () => number; // for rows; then the response is a code
  readonly continuations: Continuations; // issues the state of forms
  readonly now: () => number;
}

/** The response of a tool: the JSON of its structured content, as bytes if it is long, and further content blocks. */
export interface ToolResponse {
  readonly json: string | Buffer;
  readonly links?: readonly ResourceLink[];
  readonly image?: Image;
  readonly meta?: Readonly<Record<string, unknown>>; // for the client, not for the model
  readonly running?: RunningCall;
}

/** The rows or the file are not there yet: the tool that waits for them, and its argument for the code. */
export interface RunningCall {
  readonly tool: 'execute_query_next_page' | 'execute_chart_query' | 'resume_stream' | 'export_query';
  readonly field: 'queryMoreCode' | 'streamToken';
  readonly code: string;
}

export interface Image {
  readonly type: 'image';
  readonly data: string; // base64
  readonly mimeType: string;
}

export interface ResourceLink {
  readonly type: 'resource_link';
  readonly uri: string;
  readonly name: string;
  readonly mimeType: string;
  readonly size: number;
  readonly description: string;
}

/**
 * Declares a tool; the list for clients, the argument parser, the documentation and the page in the web interface derive from
 * it.
 */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string; // for the model: when to use it, when not, what next
  readonly arguments: ArgumentList;
  readonly output: JsonSchema;
  readonly app?: string; // the resource of the MCP App that shows its results
  /** Adds parameter values that the user entered in a form to the arguments; left out if it takes no parameters. */
  readonly withAnswers?: (sent: Params, answers: Params) => Params;
  call(parts: ToolParts, call: Call, sent: Readonly<Record<string, unknown>>): Promise<Result<ToolResponse>>;
}

interface Declaration<List extends ArgumentList> extends Omit<Tool, 'call' | 'arguments'> {
  readonly arguments: List;
  /** The use-case calls `read` after it has checked the credential. */
  call(parts: ToolParts, call: Call, read: () => Read<ArgumentValues<List>>): Promise<Result<ToolResponse>>;
}

export function tool<List extends ArgumentList>(declared: Declaration<List>): Tool {
  const table = argumentTable(declared.arguments);
  return { ...declared, call: (parts, call, sent) => declared.call(parts, call, () => table.read({ body: sent })) };
}

/** Texts of authors may be long; a model chooses by their beginning. */
export function cutText(text: string, most: number): string {
  const letters = text.length <= most ? [] : [...text];
  return letters.length <= most ? text : `${letters.slice(0, most).join('')}…`;
}

export const jsonResponse = (value: unknown): ToolResponse => ({ json: JSON.stringify(value) });

/** An argument of a tool: its reader, and the schema that models get. */
interface Argument<T> extends Field<T> {
  readonly modelSchema: JsonSchema;
  /** Listed as required although another argument can replace it. */
  readonly listedAsRequired?: true;
}

type ArgumentList = Readonly<Record<string, Argument<unknown>>>;
type ArgumentValues<List extends ArgumentList> = FieldValues<List>;

/** Names ignore case, `_` and `-`; the key was read before. */
export const argumentTable = <List extends ArgumentList>(declared: List): FieldTable<List & { apiKey: Field<unknown> }> =>
  fieldTable({ ...declared, apiKey }, foldSeparators);

const apiKey: Field<unknown> = { required: false, from: 'body', unlisted: true, read: () => undefined };

// longer than any name, code or search
const anyText = textField({ max: 8192, refused: /\0/, expected: 'Expected text without NUL characters.' });

export const text = (description: string) => describeToModel(anyText, description);

export const requiredText = (description: string) => describeToModel(requireField(anyText), description);

/** Parameter values in the form of REST, or either of its shapes as a JSON text. */
export const parameterValues = parameterField({ spelling: foldSeparators, asText: true });

/** A field with another description for models: what an argument means often depends on the tool. */
export const describeToModel = <F extends { readonly modelSchema: JsonSchema }>(field: F, description: string): F => ({
  ...field,
  modelSchema: { ...field.modelSchema, description },
});
