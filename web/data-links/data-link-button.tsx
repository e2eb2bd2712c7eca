import { Button } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import type { Query } from '../app/wire.ts';
import { IconLink } from '../components/icons.tsx';
import type { ParameterValues } from '../components/parameters/parameter-values.ts';

const DataLinkDialog = lazy(() => import('./data-link-dialog.tsx').then((module) => ({ default: module.DataLinkDialog })));

export interface DataLinkButtonProps {
  readonly query: Query;
  readonly values: ParameterValues;
  readonly size: 'sm' | 'compact-sm';
}

/** Opens the addresses that return the rows of a query, except for queries that write. */
export function DataLinkButton({ query, values, size }: DataLinkButtonProps) {
  const [isOpen, setOpen] = useState(false);
  if (query.epilogue !== null) return null;
  return (
    <>
      <Button
        variant="default"
        size={size}
        leftSection={<IconLink size={size === 'sm' ? 16 : 14} aria-hidden />}
        onClick={() => setOpen(true)}
      >
        Get data link
      </Button>
      {isOpen && (
        <Suspense>
          <DataLinkDialog query={query} values={values} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
