import type { ExportedFile } from '../pipeline/use-cases/export.ts';

export type DownloadLink = ReturnType<typeof downloadLink>;

/** An export file as reported to callers, the same over REST and MCP. */
export function downloadLink(baseUrl: string, { token, expiresAt, ...file }: ExportedFile) {
  return { ...file, downloadUrl: `${baseUrl}${DOWNLOAD_PATH}?token=${token}`, expiresAt: new Date(expiresAt).toISOString() };
}

export const DOWNLOAD_PATH = '/api/v1/Export/Download';
