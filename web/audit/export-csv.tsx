import { Button } from '@mantine/core';
import { useState } from 'react';
import { callForFile } from '../app/api.ts';
import { IconDownload } from '../components/icons.tsx';
import { saveFile } from '../components/save-file.ts';
import { toastProblem } from '../components/toast.ts';
import type { AuditQuery } from './audit-query.ts';

/** Exports all entries that match the filters, not only those on the page. */
export function ExportCsv({ query }: { readonly query: AuditQuery }) {
  const [isBusy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    try {
      const response = await callForFile('GET /api/v1/audit', { query: { ...query, format: 'csv' } });
      saveFile(await response.blob(), 'audit.csv');
    } catch (error) {
      toastProblem(
        error instanceof TypeError ? new Error('The export was interrupted. Nothing was saved.') : error,
        'Export failed',
      );
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button variant="default" size="xs" leftSection={<IconDownload size={14} aria-hidden />} loading={isBusy} onClick={save}>
      Export CSV
    </Button>
  );
}
