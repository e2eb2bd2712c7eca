import type { Config } from '../../config/config.ts';
import { definedFields } from '../../core/defined-fields.ts';
import { estimateTokens } from '../../results/estimate-tokens.ts';
import type { PageRequest, ResultPage } from '../../results/result-page.ts';
import type { Shown } from '../../results/shown-rows.ts';
import type { KeptView } from '../../results/snapshot-position.ts';
import type { ModelAnswer } from '../../store/metadata-store.ts';

/** How a page for a model is bounded and shown. What is left out is as in the call that issued the code. */
export interface SentView {
  readonly fits?: boolean | undefined; // the page is sized in bytes, and long texts are cut
  readonly shape?: 'rows' | 'table' | undefined;
  readonly columns?: readonly string[] | undefined; // labels
  readonly fullCells?: boolean | undefined;
}

/** The rows of a page as they are sent to a model. */
export interface ShownPage extends Shown {
  readonly fits: boolean;
  readonly isTable: boolean;
}

export interface PageView extends Pick<PageRequest, 'maxPageBytes' | 'view'> {
  readonly kept: KeptView | undefined; // for the next page
}

const MAX_PAGE_BYTES = 16 << 20;
const MODEL_PAGE_BYTES = 512 << 10;
const BRACKETS = 2;

/** Common clients take 25,000 tokens. Where a token has few bytes, as in tables of numbers, a page has fewer bytes. */
const MODEL_PAGE_TOKENS = 19_000;
const TOKENS_PER_BYTE = 0.29;

/** `before`: of the code that is continued. */
export function viewPage(config: Config, sent: SentView | undefined, before: KeptView | undefined): PageView {
  if (sent === undefined) return { maxPageBytes: MAX_PAGE_BYTES, kept: before };
  const fits = sent.fits ?? before?.fits ?? false;
  const isTable = (sent.shape === undefined ? before?.isTable : sent.shape === 'table') ?? false;
  const columns = sent.columns ?? before?.columns;
  const fullCells = sent.fullCells ?? before?.fullCells ?? false;
  const isPlain = !fits && !isTable && columns === undefined;
  const { mcpPageBytes } = config;
  const maxTokens = fits ? Math.max(MODEL_PAGE_TOKENS, TOKENS_PER_BYTE * mcpPageBytes) : undefined;
  return {
    maxPageBytes: fits ? mcpPageBytes - BRACKETS : MODEL_PAGE_BYTES,
    ...(isPlain ? {} : { view: { isTable, columns, cutsCells: fits && !fullCells, maxTokens } }),
    kept: isPlain ? undefined : toKept({ fits, isTable, fullCells, columns }),
  };
}

/** The page as it is shown, and what the next code says of that. */
export function showPage({ view, kept }: PageView, { shown }: ResultPage): { shown: ShownPage | null; kept?: KeptView } {
  if (shown === undefined || view === undefined) return { shown: null, ...(kept && { kept }) };
  const { fits = false, isTable = false, fullCells = false } = kept ?? {};
  return { shown: { ...shown, fits, isTable }, kept: toKept({ fits, isTable, fullCells, columns: shown.columns }) };
}

/** The size of a first page with the default options; null for other pages. */
export function measureAnswer({ kept, view }: PageView, { rowIndex, shown }: ResultPage): ModelAnswer | null {
  const isUsual = kept?.fits && !kept.fullCells && view?.columns === undefined && view?.isTable === false;
  if (shown === undefined || rowIndex > 0 || !isUsual) return null;
  return { bytes: shown.rows.length, tokens: estimateTokens(shown.rows, 0, shown.rows.length) };
}

/** Without options that have their defaults, so that codes are short. */
const toKept = ({
  fits,
  isTable,
  fullCells,
  columns,
}: Record<'fits' | 'isTable' | 'fullCells', boolean> & { columns: KeptView['columns'] }): KeptView =>
  definedFields({
    fits: fits || undefined,
    isTable: isTable || undefined,
    fullCells: fullCells || undefined,
    columns,
  });
