import { Code, Group, Stack, Tabs, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useSession } from '../app/session.tsx';
import type { Query } from '../app/wire.ts';
import { CopyButton } from '../components/copy/copy-button.tsx';
import { KEY_VARIABLE } from '../components/copy/key-variable.ts';
import type { ParameterValues } from '../components/parameters/parameter-values.ts';
import { AddressField } from '../shares/address-field.tsx';
import { type ClientGenerator, clientGenerators, documentUrl, type Step } from './client-generators.ts';

export interface ClientCodeProps {
  readonly query: Query;
  readonly values: ParameterValues;
}

/** The OpenAPI document of the caller, the commands of a generator, and a program that reads all rows of the query. */
export function ClientCode({ query, values }: ClientCodeProps) {
  const { baseUrl } = useSession().session;
  const [chosen, setChosen] = useState<string>(clientGenerators[0].id);
  const stepsOf = ({ install, generate, program }: ClientGenerator): readonly Step[] => [
    install,
    ...generate(baseUrl),
    program(query, values, baseUrl),
  ];
  return (
    <Stack gap="md">
      <AddressField
        label="OpenAPI document"
        description="With an API key, it describes the queries that the key may run, with the types of parameters and columns."
        url={documentUrl(baseUrl)}
        copyLabel="Copy address"
      />
      <Stack gap="xs" component="section" aria-label="TypeScript">
        <Title order={3} fz="md">
          TypeScript
        </Title>
        <Text size="sm">
          Set the environment variable <Code>{KEY_VARIABLE}</Code> to a key from My Account → API Keys. When a column or parameter
          that your program uses changes, the program no longer compiles with a newly generated client.
        </Text>
        <Tabs value={chosen} onChange={(id) => id !== null && setChosen(id)}>
          <Tabs.List>
            {clientGenerators.map(({ id, label }) => (
              <Tabs.Tab key={id} value={id} px="xs">
                {label}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {clientGenerators.map((generator) => (
            <Tabs.Panel key={generator.id} value={generator.id} pt="sm">
              {generator.id === chosen && (
                <Stack gap="sm">
                  {stepsOf(generator).map((step) => (
                    <CodeStep key={step.label} {...step} />
                  ))}
                </Stack>
              )}
            </Tabs.Panel>
          ))}
        </Tabs>
      </Stack>
    </Stack>
  );
}

const CodeStep = ({ label, text }: Step) => (
  <Stack gap={4}>
    <Group justify="space-between">
      <Title order={4} fz="sm">
        {label}
      </Title>
      <CopyButton value={text} label="Copy" name={`Copy ${label}`} withText size="compact-xs" />
    </Group>
    <Code block tabIndex={0} role="region" aria-label={label}>
      {text}
    </Code>
  </Stack>
);
