import { Button, SegmentedControl, Skeleton, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import dayjs from 'dayjs';
import { type FormEvent, useState } from 'react';
import { call } from '../../../app/api.ts';
import type { QueryVersion } from '../../../app/wire.ts';
import { DialogActions } from '../../../components/dialog-actions.tsx';
import { MomentInput } from '../../../components/fields/moment-input.tsx';
import { ProblemAlert } from '../../../components/problem-alert.tsx';
import { momentText } from '../../../components/time.tsx';
import { toast } from '../../../components/toast.ts';
import { CALLER_DAYS, callersOf } from './affected-texts.ts';
import { Affected } from './affected.tsx';
import { ChangeList, ChangesTitle } from './change-list.tsx';

export interface RetireFormProps {
  readonly id: string; // of the query
  readonly queryName: string;
  readonly version: QueryVersion;
  readonly replacedAt: string | null;
  readonly onClose: () => void;
}

/** Ends the calls that name a version, now or later. */
export function RetireForm({ id, queryName, version, replacedAt, onClose }: RetireFormProps) {
  const { activatedAs, retiresAt } = version;
  const queryClient = useQueryClient();
  const [isLater, setLater] = useState(retiresAt !== null);
  const [moment, setMoment] = useState(retiresAt === null ? '' : dayjs(retiresAt).format(LOCAL));
  const at = dayjs(moment);
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      call('POST /api/v1/queries/{id}/versions/{version}/retire', {
        params: { id, version: String(activatedAs) },
        body: isLater ? { at: at.toISOString() } : {},
      }),
    onSuccess: () => {
      toast(
        isLater ? `Version ${activatedAs} retires on ${momentText(at.toISOString())}.` : `Version ${activatedAs} is retired.`,
      );
      void queryClient.invalidateQueries({ queryKey: ['queries', id, 'versions'] });
      onClose();
    },
  });
  const isInvalid = isLater && !at.isValid();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isInvalid) mutate();
  };
  return (
    <form aria-label="Retire" noValidate onSubmit={submit}>
      <Stack gap="md">
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {`From then on, calls that name ${queryName}@${activatedAs} are refused (410), as are embeds and data links that stay with this version. Pages of a result that was begun before can still be read.`}
        </Text>
        <Stack gap="xs">
          <SegmentedControl
            aria-label="When"
            value={isLater ? 'later' : 'now'}
            onChange={(value) => setLater(value === 'later')}
            data={[
              { value: 'now', label: 'Now' },
              { value: 'later', label: 'At a time' },
            ]}
          />
          {isLater && (
            <MomentInput
              kind="datetime"
              label="Retire at"
              description="In your time zone. Until then, responses to these calls have the time in their Sunset header."
              value={moment}
              onChange={setMoment}
              error={isInvalid && moment !== '' ? 'Enter a date and a time, such as 2026-12-31T18:00:00.' : null}
            />
          )}
        </Stack>
        <Users {...{ id, version, replacedAt }} />
        <ProblemAlert error={error} />
        <DialogActions>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" color="red" loading={isPending} disabled={isInvalid}>
            Retire
          </Button>
        </DialogActions>
      </Stack>
    </form>
  );
}

const LOCAL = 'YYYY-MM-DDTHH:mm:ss';

/** Who used the version lately, and what changes for them with the current one. */
function Users({ id, version: { version, activatedAs }, replacedAt }: Omit<RetireFormProps, 'queryName' | 'onClose'>) {
  const query = { from: String(version), to: 'active', days: CALLER_DAYS };
  const { data, error, refetch } = useQuery({
    queryKey: ['queries', id, 'changes', query],
    queryFn: ({ signal }) => call('GET /api/v1/queries/{id}/changes', { params: { id }, query }, { signal }),
  });
  if (data === undefined) {
    if (error === null) return <Skeleton height={80} role="status" aria-label="Loading the callers" />;
    return <ProblemAlert error={error} onRetry={() => void refetch()} />;
  }
  const { callers, dependants } = data;
  return (
    <>
      <Stack gap="xs">
        <ChangesTitle>Who uses it</ChangesTitle>
        <Affected
          {...data}
          of="version"
          callers={callersOf(callers, activatedAs ?? 0, replacedAt)}
          dependants={dependants.filter((each) => each.version === activatedAs)}
          moreDependants={0}
        />
      </Stack>
      <Stack gap="xs">
        <ChangesTitle>What changes for them with the current version</ChangesTitle>
        <ChangeList {...data} />
      </Stack>
    </>
  );
}
