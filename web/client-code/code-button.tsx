import { Button, Modal, Skeleton } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import type { Query } from '../app/wire.ts';
import { IconCode } from '../components/icons.tsx';
import type { ParameterValues } from '../components/parameters/parameter-values.ts';

const ClientCode = lazy(() => import('./client-code.tsx').then((module) => ({ default: module.ClientCode })));

export interface CodeButtonProps {
  readonly query: Query;
  readonly values: ParameterValues;
  readonly size: 'sm' | 'compact-sm';
}

/** Opens the code of a typed client for a query. */
export function CodeButton({ query, values, size }: CodeButtonProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button
        variant="default"
        size={size}
        leftSection={<IconCode size={size === 'sm' ? 16 : 14} aria-hidden />}
        onClick={() => setOpen(true)}
      >
        Use this in code
      </Button>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title="Use this in code" size="lg">
        <Suspense fallback={<Skeleton height={400} />}>
          <ClientCode query={query} values={values} />
        </Suspense>
      </Modal>
    </>
  );
}
