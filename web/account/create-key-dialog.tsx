import { NumberInput, Select, Stack, Switch, Text } from '@mantine/core';
import { useForm, type UseFormReturnType } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../app/api.ts';
import { useSession } from '../app/session.tsx';
import type { NewKey, User } from '../app/wire.ts';
import { useSaving } from '../components/fields/use-saving.ts';
import { QueriesField } from '../components/queries/queries-field.tsx';
import { dateText } from '../components/time.tsx';
import { KeyDialog, keyNameProblem } from './key-dialog.tsx';
import { daysOf, endOf, isLifetime, type Lifetime, lifetimes, MAX_DAYS, shortLifetime, defaultLifetime } from './key-lifetime.ts';
import { LimitFields, type LimitValues, limitsOf, noLimits } from './limit-fields.tsx';

export interface CreateKeyDialogProps {
  /** Fills in values that suit an AI assistant. */
  readonly forAssistant: boolean;
  /** Whose key it is; left out: the user's own. */
  readonly application?: Pick<User, 'id' | 'expiresAt'>;
  readonly onCreated: (key: NewKey) => void;
  readonly onClose: () => void;
}

interface Values {
  readonly name: string;
  readonly lifetime: Lifetime;
  readonly expiresInDays: number | string; // typed, for a custom lifetime
  readonly queries: readonly string[];
  readonly limits: LimitValues;
  readonly tools: 'generic' | 'typed';
}

export function CreateKeyDialog({ forAssistant, application, onCreated, onClose }: CreateKeyDialogProps) {
  const { session } = useSession();
  const queryClient = useQueryClient();
  const form = useForm<Values>({
    initialValues: {
      name: forAssistant ? 'AI assistant' : '',
      lifetime: forAssistant ? shortLifetime : defaultLifetime,
      expiresInDays: 7,
      queries: [],
      limits: noLimits,
      tools: 'generic',
    },
    validate: {
      name: keyNameProblem,
      expiresInDays: (days, { lifetime }) => (daysOf(lifetime, days) === undefined ? 'Enter a number of days.' : null),
    },
  });
  const { problem, perform } = useSaving(form, { rename: (field) => field.replace(/^queries\.\d+$/, 'queries') });
  const submit = form.onSubmit(async ({ name, lifetime, expiresInDays, queries: narrowedTo, limits: typed, tools }) => {
    const limits = limitsOf(typed);
    const body = {
      name: name.trim(),
      expiresInDays: daysOf(lifetime, expiresInDays),
      ...(narrowedTo.length === 0 ? {} : { queries: narrowedTo }),
      ...(limits === undefined ? {} : { limits }),
      ...(tools === 'typed' && isNarrow(narrowedTo) ? { tools } : {}),
    };
    const created = await perform(() =>
      application === undefined
        ? call('POST /api/v1/account/api-keys', { body })
        : call('POST /api/v1/users/{id}/api-keys', { params: { id: application.id }, body }),
    );
    if (created === undefined) return;
    onCreated(created);
    onClose();
    await queryClient.invalidateQueries({ queryKey: [application === undefined ? 'api-keys' : 'user-keys'] });
  });
  const { lifetime, expiresInDays } = form.values;
  return (
    <KeyDialog
      title="Create API key"
      form={form}
      aboutName="What the key is for: a program, a report, an assistant."
      problem={problem}
      submit="Create"
      onSubmit={submit}
      onClose={onClose}
    >
      <Select
        label="Expires"
        data={lifetimes}
        allowDeselect={false}
        value={lifetime}
        onChange={(word) => isLifetime(word) && form.setFieldValue('lifetime', word)}
        description={endText(daysOf(lifetime, expiresInDays), (application ?? session).expiresAt)}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
      />
      {lifetime === 'custom' && (
        <NumberInput
          label="Days"
          min={1}
          max={MAX_DAYS}
          allowDecimal={false}
          withAsterisk
          {...form.getInputProps('expiresInDays')}
        />
      )}
      <QueriesField
        label="Only these queries"
        description="Optional. The key can then run only these queries."
        placeholder="All queries you can run"
        value={form.values.queries}
        error={form.errors.queries}
        onChange={(names) => form.setFieldValue('queries', names)}
      />
      <ToolsField form={form} />
      <LimitFields form={form} />
    </KeyDialog>
  );
}

const MAX_TYPED = 40;
const isNarrow = (queries: readonly string[]): boolean => queries.length >= 1 && queries.length <= MAX_TYPED;

/** What an assistant sees with this key. */
function ToolsField({ form }: { readonly form: UseFormReturnType<Values> }) {
  const { queries, tools } = form.values;
  const isTyped = tools === 'typed' && isNarrow(queries);
  const { data } = useQuery({
    queryKey: ['mcp', 'tools', queries],
    queryFn: ({ signal }) => call('GET /api/v1/mcp/tools', { query: { queries: queries.join(',') } }, { signal }),
    enabled: isTyped,
  });
  const names = data?.tools.map(({ name }) => name) ?? [];
  return (
    <Stack gap={4}>
      <Switch
        label="A tool per query for AI assistants"
        description={`An assistant sees each query as its own tool, with its parameters. For keys limited to 1 to ${MAX_TYPED} queries.`}
        disabled={!isNarrow(queries)}
        checked={isTyped}
        onChange={({ currentTarget }) => form.setFieldValue('tools', currentTarget.checked ? 'typed' : 'generic')}
        error={form.errors.tools}
      />
      {isTyped && names.length > 0 && (
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          The assistant will see: {names.join(', ')}
        </Text>
      )}
    </Stack>
  );
}

function endText(days: number | null | undefined, accountEnd: string | null): string {
  if (days === undefined) return '';
  const end = endOf(days, accountEnd, Date.now());
  if (end === null) return 'Works until you revoke it. A key that expires is safer.';
  const isCut = accountEnd !== null && end.getTime() === Date.parse(accountEnd);
  return `Expires on ${dateText(end)}${isCut ? ', with the account' : ''}.`;
}
