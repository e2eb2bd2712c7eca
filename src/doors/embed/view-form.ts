import type { Embed } from '../../access/share.ts';
import type { SentParameter } from '../../catalog/parameter.ts';
import { escapeHtml } from '../../charts/option/tooltip.ts';
import type { OpenField } from '../../pipeline/use-cases/open-fields.ts';

/** What a view was requested with, to request it again with other values or another token of the viewer. */
export interface ViewFormParts {
  readonly embed: Pick<Embed, 'viewer'>;
  readonly token: string;
  readonly viewer: string | null; // the token of the viewer
  readonly fields: readonly OpenField[];
  readonly sent: readonly SentParameter[]; // sent again where there are no fields
}

/** What the script does with the form, see web/embed-page/view-form.ts. */
export interface ViewFormTask {
  readonly ask?: boolean; // the embedding page for a token
  readonly seconds?: number; // until the token ends
  readonly retry?: number; // seconds until the view is tried again
  readonly wrong?: readonly string[]; // names of fields with a wrong value
}

/**
 * The fields above a chart: a plain form, which works without scripts. The token of a viewer is sent in the body of a request, so that it
 * is not in the address. Empty if there is nothing to send.
 */
export function viewForm(parts: ViewFormParts | null, { ask = false, seconds, retry, wrong = [] }: ViewFormTask = {}): string {
  if (parts === null) return '';
  const { embed, token, viewer, fields, sent } = parts;
  const isSigned = embed.viewer === 'signed';
  if (!isSigned && fields.length === 0) return '';
  const target = isSigned ? `method="post" action="?token=${escapeHtml(encodeURIComponent(token))}"` : 'method="get" action="?"';
  const task = [
    ask ? ' data-ask' : '',
    seconds === undefined ? '' : ` data-seconds="${seconds}"`,
    retry === undefined ? '' : ` data-retry="${retry}"`,
  ].join('');
  const own = isSigned ? hidden('viewer', viewer ?? '') : hidden('token', token);
  const kept =
    fields.length > 0
      ? []
      : sent.flatMap(({ ParameterName, Value }) => textsOf(Value).map((each) => hidden(ParameterName, each)));
  const body =
    fields.length === 0
      ? ''
      : `${fields.map((field, index) => fieldHtml(field, `f${index}`, wrong)).join('\n')}\n<button>Apply</button>\n`;
  const again = fields.length === 0 && retry !== undefined ? '<noscript><button>Try again</button></noscript>' : '';
  return `<form id="view" ${target} autocomplete="off"${fields.length === 0 ? '' : ' class="fields" aria-label="Values of the chart"'}${task}>
${own}${kept.join('')}
${body}${again}</form>`;
}

const textsOf = (value: unknown): readonly string[] => [value].flat().flatMap((each) => (typeof each === 'string' ? each : []));

const hidden = (name: string, value: string): string =>
  `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`;

function fieldHtml(field: OpenField, id: string, wrong: readonly string[]): string {
  const { name, label, description, isRequired, isClosed, isList, options } = field;
  const isLong = (text: string): boolean => text.length > LONG;
  const hasLongOptions = options.some((each) => isLong(each.label));
  const isCut = hasLongOptions && isClosed && !isList; // a closed list shows only the start of a long option
  const chosen = isCut ? (options.find((each) => isChosen(field, each))?.label ?? '') : '';
  const title = [chosen, description].filter((text) => text !== '').join('\n');
  const about = `${title === '' ? '' : ` title="${escapeHtml(title)}"`}${isCut ? ` data-about="${escapeHtml(description)}"` : ''}`;
  const isWrong = wrong.includes(name);
  const rules = `${isRequired ? ' required' : ''}${isWrong ? ' aria-invalid="true"' : ''}`;
  const control = `name="${escapeHtml(name)}"${about}${rules}`;
  return `<div class="field${hasLongOptions || isLong(label) ? ' long' : ''}"><label for="${id}" dir="auto">${escapeHtml(label)}</label>${field.isClosed ? select(field, id, control, isWrong) : inputs(field, id, control)}</div>`;
}

const LONG = 24; // characters that fit a short field
const MOST_SHOWN = 4;

const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

const isChosen = ({ values }: OpenField, { value }: { readonly value: string }): boolean =>
  values.some((each) => isSame(each, value));

function select(field: OpenField, id: string, control: string, isWrong: boolean): string {
  const { values, options, isList, isRequired, hasDefault } = field;
  const unknown = isWrong ? [] : values.filter((each) => !options.some(({ value }) => isSame(each, value)));
  const all = [...unknown.map((value) => ({ value, label: value })), ...options];
  const empty = isRequired ? (values.length > 0 ? null : 'Choose…') : hasDefault || isList ? null : 'Not set';
  const none = empty === null ? '' : `<option value="">${empty}</option>`;
  const list = all.map(
    (each) =>
      `<option value="${escapeHtml(each.value)}"${isChosen(field, each) ? ' selected' : ''}>${escapeHtml(each.label)}</option>`,
  );
  const several = isList ? ` multiple size="${Math.min(MOST_SHOWN, Math.max(2, all.length))}"` : '';
  return `<select id="${id}" ${control}${several}>${none}${list.join('')}</select>`;
}

/** A list has one input for each value, and one for a further value. */
function inputs({ values, options, isList, isMasked, type }: OpenField, id: string, control: string): string {
  const suggestions = options.map(({ value, label }) => `<option value="${escapeHtml(value)}">${escapeHtml(label)}</option>`);
  const list = suggestions.length === 0 ? '' : ` list="${id}-list"`;
  const kind = `type="${isMasked ? 'password' : 'text'}"${hints[type] ?? ''}${list}`;
  const texts = isList ? [...values, ''] : [values[0] ?? ''];
  const all = texts.map((value, index) => {
    const isFirst = index === 0;
    return `<input ${isFirst ? `id="${id}"` : 'aria-label="Further value"'} ${isFirst ? control : control.replace(' required', '')} ${kind} value="${escapeHtml(value)}">`;
  });
  return all.join('') + (suggestions.length === 0 ? '' : `<datalist id="${id}-list">${suggestions.join('')}</datalist>`);
}

const number = ' inputmode="decimal"';
const hints: Readonly<Partial<Record<OpenField['type'], string>>> = {
  ...{ integer: number, decimal: number, float: number },
  date: ' placeholder="YYYY-MM-DD"',
  ...{ datetime: ' placeholder="YYYY-MM-DD hh:mm"', datetimeoffset: ' placeholder="YYYY-MM-DD hh:mm"' },
  time: ' placeholder="hh:mm"',
};

export const viewFormStyle = `.fields{display:flex;flex:none;flex-wrap:wrap;align-items:flex-end;gap:8px 12px;padding:8px 16px}
.field{display:flex;flex:1 1 150px;flex-direction:column;gap:3px;min-width:0;max-width:240px}
.field.long{flex:2 1 300px;max-width:480px}
.field label{color:var(--muted);font-size:12px;overflow-wrap:anywhere}
.field input,.field select{width:100%;min-height:30px;padding:3px 8px;border:1px solid var(--line);border-radius:6px;background:var(--back);color:var(--text);font:inherit}
.field select{text-overflow:ellipsis}
.field select[multiple]{max-height:128px;padding:2px}
.field option{white-space:normal;overflow-wrap:anywhere}
.fields~figure.live{min-height:220px}
.field [aria-invalid]{border-color:#d13438}
.fields button{min-height:30px;padding:3px 14px;border:1px solid var(--line);border-radius:6px;background:var(--hover);color:var(--text);font:600 12px Inter,system-ui,sans-serif;cursor:pointer}
.fields :is(input,select,button):focus-visible{outline:2px solid #2f6fde;outline-offset:1px}
@media print{.fields button{display:none}}`;
