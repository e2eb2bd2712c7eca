import { Accordion, Button, Code, Group, MultiSelect, Paper, SegmentedControl, Stack, Text, Title } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../app/api.ts';
import type { Gateway, Tool } from '../app/wire.ts';
import { IconPlayerPlay } from '../components/icons.tsx';
import { useRunnableQueries } from '../components/queries/use-runnable-queries.ts';
import { useSearchParams } from '../components/use-search-params.ts';
import type { FieldValues } from './tool-fields.ts';
import { ToolPanel } from './tool-panel.tsx';
import { TryDialog } from './try-dialog.tsx';

/** The general tools, or those of a key that has one for each of these queries. */
function useTools(gateway: Gateway, typed: readonly string[] | null): readonly Tool[] {
  const queries = typed?.join(',') ?? '';
  const { data } = useQuery({
    queryKey: ['mcp', 'tools', queries],
    queryFn: ({ signal }) => call('GET /api/v1/mcp/tools', { query: { queries } }, { signal }),
    enabled: queries !== '',
    placeholderData: keepPreviousData,
  });
  return queries === '' ? gateway.tools : (data?.tools ?? gateway.tools);
}

interface ToolChoiceProps {
  readonly typed: readonly string[] | null;
  readonly onChange: (queries: readonly string[] | null) => void;
}

function ToolChoice({ typed, onChange }: ToolChoiceProps) {
  const { queries } = useRunnableQueries();
  return (
    <Stack gap="xs">
      <SegmentedControl
        size="xs"
        aria-label="Which tools"
        value={typed === null ? 'generic' : 'typed'}
        onChange={(value) => onChange(value === 'generic' ? null : [])}
        data={[
          { value: 'generic', label: 'General tools' },
          { value: 'typed', label: 'A tool per query' },
        ]}
      />
      {typed !== null && (
        <MultiSelect
          label="Queries of the key"
          description="A key limited to these queries can offer a tool for each of them. Choose it under My Account → API Keys."
          data={queries.map(({ queryName, name }) => ({ value: queryName, label: name }))}
          maxValues={40}
          searchable
          value={[...typed]}
          onChange={onChange}
        />
      )}
    </Stack>
  );
}

interface Trial {
  readonly tool: Tool;
  readonly values: FieldValues;
}

/** The tools as an assistant sees them, each with a Try button. */
export function ToolsCard({ gateway }: { readonly gateway: Gateway }) {
  const { enabled, url } = gateway;
  const [filters, setFilters] = useSearchParams();
  const typed = filters.tools === 'typed' ? (filters.queries?.split(',') ?? []) : null; // null: the general tools
  const tools = useTools(gateway, typed);
  const [trial, setTrial] = useState<Trial | null>(null);
  const tryTool = (name: string, values: FieldValues) => {
    const tool = tools.find((each) => each.name === name);
    if (tool !== undefined) setTrial({ tool, values });
  };
  return (
    <Paper withBorder p={{ base: 'sm', sm: 'md' }} component="section" aria-label="Tools">
      <Stack gap="sm">
        <Group gap="xs" align="baseline">
          <Title order={2}>Tools</Title>
          <Text size="sm" c="dimmed">
            {tools.length}, all read-only
          </Text>
        </Group>
        <ToolChoice
          typed={typed}
          onChange={(queries) => setFilters({ tools: queries === null ? undefined : 'typed', queries: queries?.join(',') })}
        />
        <Accordion
          order={3}
          value={filters.tool ?? null}
          onChange={(name) => setFilters({ tool: name ?? undefined })}
          chevronPosition="left"
          styles={{ content: { paddingInline: 0 } }}
        >
          {tools.map((tool) => (
            <Accordion.Item key={tool.name} value={tool.name}>
              <Group wrap="nowrap" gap="xs">
                <Accordion.Control px={0}>
                  <Group gap="xs">
                    <Text size="sm" fw={600}>
                      {tool.title}
                    </Text>
                    <Code>{tool.name}</Code>
                  </Group>
                </Accordion.Control>
                {enabled &&
                  typed === null && ( // a tool of a query needs its key in a header
                    <Button
                      variant="default"
                      size="xs"
                      flex="none"
                      leftSection={<IconPlayerPlay size={14} aria-hidden />}
                      aria-label={`Try ${tool.name}`}
                      onClick={() => setTrial({ tool, values: {} })}
                    >
                      Try
                    </Button>
                  )}
              </Group>
              <Accordion.Panel>
                <ToolPanel tool={tool} />
              </Accordion.Panel>
            </Accordion.Item>
          ))}
        </Accordion>
      </Stack>
      {trial !== null && (
        <TryDialog
          key={`${trial.tool.name} ${JSON.stringify(trial.values)}`}
          tool={trial.tool}
          starting={trial.values}
          url={url}
          onFollow={tryTool}
          onClose={() => setTrial(null)}
        />
      )}
    </Paper>
  );
}
