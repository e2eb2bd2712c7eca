import { type ApiResponse, type Caller, expectStatus } from '../services/service.ts';

export interface Changes {
  readonly from: { readonly version: number; readonly activatedAs: number | null };
  readonly to: { readonly version: number; readonly activatedAs: number | null };
  readonly columnsCompared: boolean;
  readonly breaking: boolean;
  readonly changes: readonly ChangeItem[];
  readonly callers: readonly Record<string, unknown>[];
  readonly callersSince: string;
  readonly moreCallers: number;
  readonly versions: readonly Record<string, unknown>[];
  readonly dependants: readonly Record<string, unknown>[];
  readonly moreDependants: number;
}
export interface ChangeItem {
  readonly kind: string;
  readonly path: string;
  readonly from: unknown;
  readonly to: unknown;
  readonly breaking: boolean;
  readonly message: string;
}

export const compare = (caller: Caller, id: string, search = ''): Promise<ApiResponse<Changes>> =>
  caller.call<Changes>('GET', `/api/v1/queries/${id}/changes${search}`);

export const changesOf = async (caller: Caller, id: string, search = ''): Promise<Changes> =>
  (await expectStatus(compare(caller, id, search), 200)).json;

export const move = (caller: Caller, id: string, name: string, body?: unknown): Promise<ApiResponse<Record<string, unknown>>> =>
  caller.call('POST', `/api/v1/queries/${id}/${name}`, body);

/** Changes a query and validates it. */
export async function saveDraft(caller: Caller, id: string, change: Record<string, unknown>): Promise<void> {
  await expectStatus(caller.call('PATCH', `/api/v1/queries/${id}`, change), 200);
  await expectStatus(move(caller, id, 'validate'), 200);
}
