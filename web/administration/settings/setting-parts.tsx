import { Badge, Code, Stack, Text } from '@mantine/core';
import { sentenceOf, type Setting, textParts, titleOf } from './setting-texts.ts';

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

/** The name, then in small print the key in sluice.yaml and the environment variable. */
export const SettingName = ({ setting }: { readonly setting: Setting }) => (
  <Stack gap={2} align="flex-start">
    <Text size="sm" fw={600}>
      {titleOf(setting)}
    </Text>
    <Text size="xs" c="dimmed" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
      {setting.key} · {setting.env}
    </Text>
  </Stack>
);

export const Meaning = ({ setting }: { readonly setting: Setting }) => (
  <>{textParts(sentenceOf(setting)).map((part) => (part.isCode ? <Code key={part.text}>{part.text}</Code> : part.text))}</>
);
