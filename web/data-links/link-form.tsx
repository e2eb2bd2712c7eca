import { Button, Checkbox, Fieldset, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { FileFormat } from '../../src/core/file-format.ts';
import { call } from '../app/api.ts';
import { Problem, problemOf } from '../app/problem.ts';
import type { DataLink, Query } from '../app/wire.ts';
import { errorsByField } from '../components/fields/field-errors.ts';
import { findMissing, type ParameterValues, selectSendable, toValuesByName } from '../components/parameters/parameter-values.ts';
import { ProblemAlert } from '../components/problem-alert.tsx';
import { ExpirationSelect } from '../shares/expiration-select.tsx';
import { daysOf, defaultLinkExpiration } from '../shares/expiration.ts';
import { OpenParameters } from '../shares/open-parameters.tsx';

export interface LinkFormProps {
  readonly query: Query;
  readonly values: ParameterValues;
  readonly format: FileFormat;
  readonly onMade: (link: DataLink) => void;
}

/** Asks what a link needs, and creates it with the values of the form behind the dialog. */
export function LinkForm({ query, values, format, onMade }: LinkFormProps) {
  const { parameters, queryName } = query;
  const queryClient = useQueryClient();
  const [name, setName] = useState(query.name);
  const [expiration, setExpiration] = useState(defaultLinkExpiration);
  const [open, setOpen] = useState<string[]>([]);
  const [asIssuer, setAsIssuer] = useState(false);
  const [isAsked, setAsked] = useState(false); // shows what is missing
  const sendable = selectSendable(parameters);
  // only authors see parameters that are bound to the caller; for other users, the service's error tells
  const [isBound, setBound] = useState(parameters.some(({ boundTo }) => boundTo !== undefined));
  const sent = toValuesByName(parameters, values);
  const missing = Object.keys(findMissing(parameters, values)).filter((each) => !open.includes(each));
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => {
      const body = { name, queryName, format, open, parameters: sent, expiresInDays: daysOf(expiration), asIssuer };
      return call('POST /api/v1/links', { body });
    },
    onSuccess: (link) => {
      onMade(link);
      void queryClient.invalidateQueries({ queryKey: ['links'] });
    },
    onError: (failure) => setBound(isBound || isAboutBound(failure)),
  });
  const problems = error === null ? {} : errorsByField(problemOf(error).fields);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    event.stopPropagation(); // React also reports it to the form around the button that opened the dialog
    setAsked(true);
    if (missing.length === 0 && (asIssuer || !isBound)) mutate();
  };
  return (
    <form aria-label="Link" noValidate onSubmit={submit}>
      <Fieldset legend="Link for programs that cannot sign in">
        <Stack gap="md">
          <Group align="flex-start" grow preventGrowOverflow={false}>
            <TextInput
              label="Name"
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
              error={problems.name}
              maxLength={200}
            />
            <ExpirationSelect value={expiration} onChange={setExpiration} disabled={isPending} />
          </Group>
          <OpenParameters
            label="Readers may set"
            description={`Added to the address, such as ?${sendable[0]?.name.slice(1)}=value. The others keep the values of the form.`}
            parameters={sendable}
            values={sent}
            open={open}
            onChange={setOpen}
            error={isAsked && missing.length > 0 ? `${missing.join(', ')} needs a value in the form, or a check here.` : null}
          />
          {isBound && (
            <Checkbox
              label="Every reader may see my rows"
              description="The query selects rows by who runs it, and a link always runs it as you."
              checked={asIssuer}
              onChange={(event) => setAsIssuer(event.currentTarget.checked)}
              error={isAsked && !asIssuer ? 'Check this, or give readers the address above.' : null}
            />
          )}
          <ProblemAlert error={isAboutBound(error) ? null : error} title="The link was not created" shownAtFields={['name']} />
          <Group justify="space-between">
            <Text size="sm" c="dimmed" flex="1 1 240px">
              Anyone with the link can read the rows, without signing in.
            </Text>
            <Button type="submit" loading={isPending} ml="auto">
              Create Link
            </Button>
          </Group>
        </Stack>
      </Fieldset>
    </form>
  );
}

const isAboutBound = (error: unknown): boolean => error instanceof Problem && error.code === 'bound_to_caller';
