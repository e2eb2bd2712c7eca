import type { ExportedFile } from '../delivery/use-cases/export.ts';

/** An export file as reported to callers, the same over REST and MCP. */
export interface DownloadLink extends Omit<ExportedFile, 'token' | 'expiresAt'> {
  readonly downloadUrl: string;
  readonly expiresAt: string;
}

export function downloadLink(baseUrl: string, { token, expiresAt, ...file }: ExportedFile): DownloadLink {
  return { ...file, downloadUrl: `${baseUrl}${DOWNLOAD_PATH}?token=${token}`, expiresAt: new Date(expiresAt).toISOString() };
}

export const DOWNLOAD_PATH = '/api/v1/Export/Download';
