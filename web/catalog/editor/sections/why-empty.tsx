import { Alert, Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../../app/api.ts';
import { IconInfoCircle } from '../../../components/icons.tsx';
import { readRows } from '../../../components/run/read-rows.ts';
import { emptyText, explainEmpty } from '../explain-empty.ts';
import type { ParameterDraft } from '../query-draft.ts';
import type { Previewed } from '../use-preview.ts';

const QUICK_MS = 2000; // slower SQL is run again only when the author asks for it
const MAX_MS = 10_000;

export interface WhyEmptyProps {
  readonly shown: Previewed;
  readonly parameters: readonly ParameterDraft[];
  readonly onWithout: (names: readonly string[]) => void;
}

/** Which values left no rows, found by a few more previews. */
export function WhyEmpty({ shown: { body, durationMs }, parameters, onWithout }: WhyEmptyProps) {
  const [isAsked, setAsked] = useState(false);
  const values = typeof body.values === 'object' && !Array.isArray(body.values) ? { ...body.values } : {};
  const { data: reason, isFetching } = useQuery({
    queryKey: ['preview', 'empty', body, durationMs],
    queryFn: ({ signal }) =>
      explainEmpty(parameters, values, async (without) => {
        const nulls = Object.fromEntries(without.map((name) => [name, null]));
        const request = { body: { ...body, values: { ...values, ...nulls } } };
        const limited = AbortSignal.any([signal, AbortSignal.timeout(MAX_MS)]);
        return (await call('POST /api/v1/queries/preview', request, { signal: limited, parse: readRows })).data.length > 0;
      }),
    enabled: durationMs <= QUICK_MS || isAsked,
    gcTime: 0,
    retry: false,
  });
  if (reason === undefined) {
    if (durationMs <= QUICK_MS) return null;
    return (
      <Button variant="default" size="xs" style={{ alignSelf: 'flex-start' }} loading={isFetching} onClick={() => setAsked(true)}>
        Find the reason
      </Button>
    );
  }
  const choices = reason.isTogether ? [reason.names] : reason.names.map((name) => [name]);
  return (
    <Alert variant="light" role="status" icon={<IconInfoCircle aria-hidden />}>
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {emptyText(reason, parameters, values)}
      </Text>
      {choices.length > 0 && (
        <Group gap="xs" mt="xs">
          {choices.map((names) => (
            <Button key={names.join()} size="compact-sm" variant="default" onClick={() => onWithout(names)}>
              Preview without {names.length === 1 ? names[0] : 'them'}
            </Button>
          ))}
        </Group>
      )}
    </Alert>
  );
}
