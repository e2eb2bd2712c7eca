import { Autocomplete, Button, Collapse, Group, Select, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { actions, channels, outcomes } from '../../src/audit/audit-entry.ts';
import { MomentInput } from '../components/fields/moment-input.tsx';
import { IconFilter } from '../components/icons.tsx';
import { SearchField } from '../components/lists/search-field.tsx';
import { useSearchParams } from '../components/use-search-params.ts';
import { useTypedParam } from '../components/use-typed-param.ts';
import { filterNames } from './audit-query.ts';

const WIDE = 768; // on a narrow screen, open filters would hide the entries

export interface AuditFiltersProps {
  readonly errors: Readonly<Record<string, string>>; // by the name of the filter
}

/** Search and filters of the audit trail, kept in the URL. */
export function AuditFilters({ errors }: AuditFiltersProps) {
  const [filters, setFilters] = useSearchParams();
  const count = filterNames.filter((name) => Boolean(filters[name])).length;
  const [opened, panel] = useDisclosure(window.innerWidth >= WIDE && count > 0);
  const isShown = opened || Object.keys(errors).length > 0;
  const clear = () => setFilters(Object.fromEntries(filterNames.map((name) => [name, undefined])));
  return (
    <Stack gap="sm">
      <Group gap="sm">
        <SearchField label="Search the audit trail" />
        <Button
          variant="default"
          leftSection={<IconFilter size={16} aria-hidden />}
          aria-expanded={isShown}
          onClick={panel.toggle}
        >
          {count === 0 ? 'Filters' : `Filters (${count})`}
        </Button>
        {count > 0 && (
          <Button variant="subtle" onClick={clear}>
            Clear filters
          </Button>
        )}
      </Group>
      <Collapse expanded={isShown}>
        <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} spacing="sm">
          <MomentFilter name="from" label="From" error={errors.from} />
          <MomentFilter name="to" label="To" error={errors.to} />
          <ChoiceFilter name="channel" label="Channel" any="Any channel" data={channels} />
          <ChoiceFilter name="outcome" label="Outcome" any="Any outcome" data={outcomes} />
          <TextFilter name="user" label="User" placeholder="User name" error={errors.user} />
          <ActionFilter error={errors.action} />
          <TextFilter name="query" label="Query" placeholder="Technical name" error={errors.query} />
          <TextFilter name="requestId" label="Request id" placeholder="" error={errors.requestId} />
        </SimpleGrid>
      </Collapse>
    </Stack>
  );
}

type Name = (typeof filterNames)[number];
interface FilterProps {
  readonly name: Name;
  readonly label: string;
  readonly error?: string | undefined;
}

function TextFilter({ name, label, placeholder, error }: FilterProps & { readonly placeholder: string }) {
  const [typed, change] = useTypedParam(name);
  return (
    <TextInput
      label={label}
      placeholder={placeholder}
      value={typed}
      spellCheck={false}
      autoCapitalize="none"
      onChange={(event) => change(event.currentTarget.value)}
      error={error}
    />
  );
}

/** A choice of the known actions; the names of MCP tools can be typed. */
function ActionFilter({ error }: Pick<FilterProps, 'error'>) {
  const [typed, change] = useTypedParam('action');
  return (
    <Autocomplete
      label="Action"
      placeholder="Any action"
      data={actions}
      value={typed}
      spellCheck={false}
      autoCapitalize="none"
      onChange={change}
      clearable
      clearButtonProps={{ 'aria-label': 'Any action' }}
      error={error}
    />
  );
}

function MomentFilter({ name, label, error }: FilterProps) {
  const [typed, change] = useTypedParam(name);
  return <MomentInput kind="datetime" label={label} placeholder="YYYY-MM-DD" value={typed} onChange={change} error={error} />;
}

function ChoiceFilter({ name, label, any, data }: FilterProps & { readonly any: string; readonly data: readonly string[] }) {
  const [filters, setFilters] = useSearchParams();
  return (
    <Select
      label={label}
      placeholder={any}
      data={data}
      value={data.find((word) => word === filters[name]) ?? null}
      onChange={(word) => setFilters({ [name]: word ?? '' })}
      clearable
      clearButtonProps={{ 'aria-label': any }}
    />
  );
}
