import { Code, Stack, Table, Tabs, Text } from '@mantine/core';
import type { Tool } from '../app/wire.ts';
import { ScrollRegion } from '../components/lists/scroll-region.tsx';
import { toolFields } from './tool-fields.ts';

/** A tool's description, arguments and schemas. */
export function ToolPanel({ tool }: { readonly tool: Tool }) {
  const { name, description, inputSchema, outputSchema } = tool;
  return (
    <Stack gap="sm">
      <Text size="sm" maw={860}>
        {description}
      </Text>
      <Tabs defaultValue="arguments" keepMounted={false}>
        <Tabs.List>
          <Tabs.Tab value="arguments">Arguments</Tabs.Tab>
          <Tabs.Tab value="input">Input schema</Tabs.Tab>
          <Tabs.Tab value="output">Output schema</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="arguments" pt="xs">
          <Arguments tool={tool} />
        </Tabs.Panel>
        <Tabs.Panel value="input" pt="xs">
          <Schema label={`Input schema of ${name}`} schema={inputSchema} />
        </Tabs.Panel>
        <Tabs.Panel value="output" pt="xs">
          <Schema label={`Output schema of ${name}`} schema={outputSchema} />
        </Tabs.Panel>
      </Tabs>
    </Stack>
  );
}

function Arguments({ tool }: { readonly tool: Tool }) {
  const fields = toolFields(tool.inputSchema);
  if (fields.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        None except the key.
      </Text>
    );
  }
  return (
    <ScrollRegion label={`Arguments of ${tool.name}`} minWidth={520}>
      <Table aria-label={`Arguments of ${tool.name}`} verticalSpacing="xs" horizontalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">Argument</Table.Th>
            <Table.Th scope="col">Type</Table.Th>
            <Table.Th scope="col">Meaning</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {fields.map(({ name, type, description, isRequired }) => (
            <Table.Tr key={name}>
              <Table.Td valign="top">
                <Code>{name}</Code>
                {isRequired && (
                  <Text size="xs" c="dimmed">
                    required
                  </Text>
                )}
              </Table.Td>
              <Table.Td valign="top">{type}</Table.Td>
              <Table.Td>{description}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollRegion>
  );
}

function Schema({ label, schema }: { readonly label: string; readonly schema: unknown }) {
  return (
    <Code block tabIndex={0} role="region" aria-label={label} style={{ maxHeight: 360, overflow: 'auto' }}>
      {JSON.stringify(schema, null, 2)}
    </Code>
  );
}
