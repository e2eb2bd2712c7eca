import { Alert, Button, Checkbox, Stack, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { useState } from 'react';
import type { QueryChanges } from '../../../app/api-types.ts';
import type { Query } from '../../../app/wire.ts';
import { DialogActions } from '../../../components/dialog-actions.tsx';
import { IconAlertTriangle } from '../../../components/icons.tsx';
import { ProblemAlert } from '../../../components/problem-alert.tsx';
import { Affected } from './affected.tsx';
import { ChangeList, ChangesTitle } from './change-list.tsx';

export interface ActivationProps {
  readonly query: Query;
  readonly effect: string; // what the activation does
  readonly changes: QueryChanges | null; // null: they could not be read
  readonly problem: unknown; // why
}

/** Shows the changes for callers before an activation; false: the user declines. */
export function confirmActivation(props: ActivationProps): Promise<boolean> {
  return new Promise((resolve) => {
    const close = (isAgreed: boolean) => {
      resolve(isAgreed);
      modals.close(id);
    };
    const id = modals.open({
      title: `Activate “${props.query.name}”?`,
      size: 'lg',
      children: <Activation {...props} onClose={close} />,
      onClose: () => resolve(false),
    });
  });
}

function Activation({
  query,
  effect,
  changes,
  problem,
  onClose,
}: ActivationProps & { readonly onClose: (isAgreed: boolean) => void }) {
  const [isConfirmed, setConfirmed] = useState(false);
  const isBreaking = changes?.breaking === true;
  const isRefused = isBreaking && query.compatibility === 'enforce';
  return (
    <Stack gap="md">
      <Text size="sm">{effect}</Text>
      {changes === null ? (
        <ProblemAlert error={problem} title="The changes for callers could not be read" />
      ) : (
        <>
          <Stack gap="xs">
            <ChangesTitle>What changes for callers</ChangesTitle>
            <ChangeList {...changes} />
          </Stack>
          {hasNewBinding(changes) && (
            <Alert color="yellow" variant="light" icon={<IconAlertTriangle aria-hidden />}>
              Earlier versions do not select rows by who calls. Callers can still name them until you retire them under Versions
              for callers.
            </Alert>
          )}
          <Stack gap="xs">
            <ChangesTitle>Who is affected</ChangesTitle>
            <Affected of="query" {...changes} />
            {changes.from.activatedAs !== null && (
              <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                {`Calls that name a version, such as ${query.queryName}@${changes.from.activatedAs}, stay with it.`}
              </Text>
            )}
          </Stack>
        </>
      )}
      {isRefused && (
        <Alert color="red" variant="light" icon={<IconAlertTriangle aria-hidden />} title="This query refuses breaking changes">
          <Stack gap="sm">
            <Text size="sm">
              Keep what callers use, or agree on the change with them, and confirm that you activate it nevertheless.
            </Text>
            <Checkbox
              label="Activate, although it breaks callers"
              checked={isConfirmed}
              onChange={({ currentTarget: { checked } }) => setConfirmed(checked)}
            />
          </Stack>
        </Alert>
      )}
      <DialogActions>
        <Button variant="default" onClick={() => onClose(false)}>
          Cancel
        </Button>
        <Button {...(isBreaking ? { color: 'red' } : {})} disabled={isRefused && !isConfirmed} onClick={() => onClose(true)}>
          {isBreaking ? 'Activate anyway' : 'Activate'}
        </Button>
      </DialogActions>
    </Stack>
  );
}

/** Versions from before do not have the row filter. */
const hasNewBinding = ({ changes }: QueryChanges): boolean =>
  changes.some(
    ({ kind, to }) =>
      kind === 'parameterBound' || (kind === 'parameterAdded' && typeof to === 'string' && to.startsWith('user.')),
  );
