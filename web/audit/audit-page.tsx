import { Button, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { NeedsPermission } from '../administration/needs-permission.tsx';
import { call } from '../app/api.ts';
import { problemOf } from '../app/problem.ts';
import type { AuditEntry } from '../app/wire.ts';
import { CurlButton } from '../components/copy/curl-button.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { errorsByField } from '../components/fields/field-errors.ts';
import { IconActivity, IconShieldCheck } from '../components/icons.tsx';
import { DataTable } from '../components/lists/data-table.tsx';
import { useList } from '../components/lists/use-list.ts';
import { PageHeader } from '../components/page-header.tsx';
import { useSearchParams } from '../components/use-search-params.ts';
import { auditColumns } from './audit-columns.tsx';
import { AuditDetails } from './audit-details.tsx';
import { AuditFilters } from './audit-filters.tsx';
import { auditQuery } from './audit-query.ts';
import { ExportCsv } from './export-csv.tsx';

export function AuditPage() {
  return (
    <NeedsPermission permission="audit.view" title="Audit trail">
      <AuditTrail />
    </NeedsPermission>
  );
}

function AuditTrail() {
  const [filters, setFilters] = useSearchParams();
  const query = auditQuery(filters);
  const list = useList(['audit', 'list', query], (cursor, signal) =>
    call('GET /api/v1/audit', { query: { ...query, cursor } }, { signal }),
  );
  const [entry, setEntry] = useState<AuditEntry | null>(null);
  const refused = list.error === null ? {} : errorsByField(problemOf(list.error).fields);
  const isRefused = Object.keys(refused).length > 0;
  const isNarrowed = Object.keys(query).length > 0;
  return (
    <>
      <PageHeader
        title="Audit trail"
        description="Every call and every change, newest first."
        actions={
          <>
            <Button
              variant="default"
              size="xs"
              leftSection={<IconActivity size={14} aria-hidden />}
              renderRoot={(props) => <Link to="/executions" {...props} />}
            >
              Running now
            </Button>
            <ExportCsv query={query} />
            <CurlButton operation="GET /api/v1/audit" parts={{ query }} />
          </>
        }
      />
      <Stack gap="sm">
        <AuditFilters errors={refused} />
        {query.search && !query.from && !query.requestId && (
          <Text size="sm" c="dimmed">
            The search covers the last 7 days. Set From to search earlier entries.
          </Text>
        )}
        <DataTable
          label="Audit trail"
          list={isRefused ? { ...list, error: null, items: [] } : list} // shown at its field
          columns={auditColumns(setEntry)}
          // a request may have several entries
          rowKey={({ requestId, at, action, query: name }) => `${requestId} ${at} ${action} ${name}`}
          minWidth={1000}
          empty={
            isRefused ? (
              <EmptyState title="Nothing to show" icon={IconShieldCheck}>
                Correct the highlighted filter.
              </EmptyState>
            ) : isNarrowed ? (
              <EmptyState title="Nothing found" icon={IconShieldCheck}>
                No entry matches the search and the filters.
              </EmptyState>
            ) : (
              <EmptyState title="No entries yet" icon={IconShieldCheck} />
            )
          }
        />
      </Stack>
      <AuditDetails
        entry={entry}
        onClose={() => setEntry(null)}
        onNarrow={(some) => {
          setEntry(null);
          setFilters(some);
        }}
      />
    </>
  );
}
