import { Checkbox, Code, Group, Paper, SegmentedControl, Stack, Tabs, Text, Title } from '@mantine/core';
import { type Ref, useState } from 'react';
import { useSession } from '../app/session.tsx';
import { CopyButton } from '../components/copy/copy-button.tsx';
import { KEY_VARIABLE } from '../components/copy/key-variable.ts';
import { useSearchParams } from '../components/use-search-params.ts';
import { type Appearance, type Credential, hasSecret } from './credential.ts';
import { type CallShape, type JsonRequest, jsonCall } from './json-call.ts';
import { languages } from './snippets.ts';

export interface SnippetCardProps {
  readonly request: JsonRequest;
  readonly version: number | null; // that the query runs; null: it has none
  readonly credential: Credential;
  readonly shape: CallShape;
  readonly withSecret: boolean;
  readonly onWithSecret: (withSecret: boolean) => void;
  readonly ref: Ref<HTMLElement>;
}

/** The call as a code snippet. */
export function SnippetCard({ request, version, credential, shape, withSecret, onWithSecret, ref }: SnippetCardProps) {
  const { session } = useSession();
  const [isPinned, setPinned] = useState(false);
  const queryName = isPinned && version !== null ? `${request.queryName}@${version}` : request.queryName;
  const [{ snippet = 'curl' }, setFilters] = useSearchParams();
  const language = languages.find(({ id }) => id === snippet) ?? languages[0];
  const write = (appearance: Appearance) =>
    language.write(jsonCall({ ...request, queryName }, shape, credential, appearance, session), shape === 'v1' ? 'Data' : 'data');
  return (
    <Paper withBorder p={{ base: 'sm', sm: 'md' }} component="section" aria-label="Code snippet" ref={ref}>
      <Stack gap="sm">
        <Group justify="space-between">
          <Title order={2}>Code snippet</Title>
          <SegmentedControl
            size="xs"
            aria-label="Call form"
            value={shape}
            onChange={(value) => setFilters({ form: value === 'short' ? value : undefined })}
            data={[
              { value: 'v1', label: 'v1 call' },
              { value: 'short', label: 'Short form' },
            ]}
          />
        </Group>
        <Tabs value={language.id} onChange={(id) => setFilters({ snippet: id === 'curl' ? undefined : (id ?? undefined) })}>
          <Tabs.List>
            {languages.map(({ id, label }) => (
              <Tabs.Tab key={id} value={id} px="xs">
                {label}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {languages.map(({ id, label }) => (
            <Tabs.Panel key={id} value={id} pt="sm">
              {id === language.id && (
                <Code
                  block
                  tabIndex={0}
                  role="region"
                  aria-label={`${label} snippet`}
                  style={{ maxHeight: 480, overflow: 'auto' }}
                >
                  {write('masked')}
                </Code>
              )}
            </Tabs.Panel>
          ))}
        </Tabs>
        {version !== null && (
          <Checkbox
            size="sm"
            checked={isPinned}
            onChange={(event) => setPinned(event.currentTarget.checked)}
            label={`Pin version ${version}`}
            description="The call keeps the parameters and columns of this version when another one is activated."
          />
        )}
        <Group justify="space-between">
          <Secret credential={credential} withSecret={withSecret} onChange={onWithSecret} />
          <CopyButton value={() => write(withSecret ? 'real' : 'placeholder')} label="Copy Code Snippet" withText />
        </Group>
      </Stack>
    </Paper>
  );
}

interface SecretProps {
  readonly credential: Credential;
  readonly withSecret: boolean;
  readonly onChange: (withSecret: boolean) => void;
}

function Secret({ credential, withSecret, onChange }: SecretProps) {
  const isKey = credential.kind === 'key';
  const setKey = (
    <>
      Set the environment variable <Code>{KEY_VARIABLE}</Code> to your key.
    </>
  );
  const word = <Code>{'<base64(username:password)>'}</Code>;
  if (!hasSecret(credential)) {
    return (
      <Text size="sm" flex="1 1 240px">
        {isKey ? setKey : <>Replace {word} with your user name and password.</>}
      </Text>
    );
  }
  const without = isKey ? <>The copy contains no key. {setKey}</> : <>The copy contains no password: replace {word} with it.</>;
  return (
    <Checkbox
      size="sm"
      checked={withSecret}
      onChange={(event) => onChange(event.currentTarget.checked)}
      label={isKey ? 'Include the key in the copy' : 'Include the password in the copy'}
      description={withSecret ? 'Anyone with the copy can use it.' : without}
      flex="1 1 240px"
    />
  );
}
