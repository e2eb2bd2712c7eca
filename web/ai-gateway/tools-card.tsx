import { Accordion, Button, Code, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import type { Gateway, Tool } from '../app/wire.ts';
import { IconPlayerPlay } from '../components/icons.tsx';
import { useSearchParams } from '../components/use-search-params.ts';
import type { FieldValues } from './tool-fields.ts';
import { ToolPanel } from './tool-panel.tsx';
import { TryDialog } from './try-dialog.tsx';

interface Trial {
  readonly tool: Tool;
  readonly values: FieldValues;
}

/** The tools as an assistant sees them, each with a Try button. */
export function ToolsCard({ gateway: { enabled, url, tools } }: { readonly gateway: Gateway }) {
  const [filters, setFilters] = useSearchParams();
  const [trial, setTrial] = useState<Trial | null>(null);
  const [key, setKey] = useState(''); // shared by all tools; forgotten when the user leaves the page
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
                {enabled && (
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
          apiKey={key}
          onApiKey={setKey}
          onFollow={tryTool}
          onClose={() => setTrial(null)}
        />
      )}
    </Paper>
  );
}
