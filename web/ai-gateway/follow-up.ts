import type { FieldValues } from './tool-fields.ts';

export interface FollowUp {
  readonly tool: string;
  readonly values: FieldValues;
  readonly label: string;
}

/** The tool that goes on where an answer ends. */
export function followUpOf({ QueryMoreCode, streamToken }: Readonly<Record<string, unknown>>): FollowUp | null {
  if (typeof QueryMoreCode === 'string') {
    return { tool: 'execute_query_next_page', values: { queryMoreCode: QueryMoreCode }, label: 'Next page' };
  }
  if (typeof streamToken === 'string') return { tool: 'resume_stream', values: { streamToken }, label: 'Next chunk' };
  return null;
}
