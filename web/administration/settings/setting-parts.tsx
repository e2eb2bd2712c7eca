import { Badge, Code, Stack, Text } from '@mantine/core';
import { type Setting, textParts } from './setting-texts.ts';

const sources: Readonly<Record<Setting['source'], { readonly text: string; readonly color: string }>> = {
  default: { text: 'Default', color: 'gray' },
  configured: { text: 'Configured', color: 'petrol' },
  changed: { text: 'Changed here', color: 'yellow' },
};

export const SourceBadge = ({ source }: Pick<Setting, 'source'>) => (
  <Badge variant="light" color={sources[source].color} miw="max-content">
    {sources[source].text}
  </Badge>
);

/** The key in sluice.yaml and the environment variable. */
export const SettingName = ({ setting: { key, env } }: { readonly setting: Setting }) => (
  <Stack gap={2} align="flex-start">
    <Text size="sm" fw={600}>
      {key}
    </Text>
    <Text size="xs" c="dimmed" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
      {env}
    </Text>
  </Stack>
);

export const Meaning = ({ text }: { readonly text: string }) => (
  <>{textParts(text).map((part) => (part.isCode ? <Code key={part.text}>{part.text}</Code> : part.text))}</>
);
