import { Button, Code, Group, SegmentedControl, Stack, Tabs, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useSession } from '../app/session.tsx';
import { CopyButton } from '../components/copy/copy-button.tsx';
import { formatLabels } from '../components/format-labels.ts';
import { IconDownload } from '../components/icons.tsx';
import { saveFile } from '../components/save-file.ts';
import { type DataAddress, fileNameOf } from './data-address.ts';
import { type Recipe, recipes } from './recipes.ts';

export interface RecipeTabsProps {
  readonly own: DataAddress;
  readonly link: DataAddress | null; // null: there is no link yet
}

/** What to paste or open in each program. */
export function RecipeTabs({ own, link }: RecipeTabsProps) {
  const [chosen, setChosen] = useState<string>(recipes[0].id);
  const [prefersOwn, setPrefersOwn] = useState(false);
  const recipe: Recipe = recipes.find(({ id }) => id === chosen) ?? recipes[0];
  const address = link === null || prefersOwn ? own : link;
  return (
    <Stack gap="sm" component="section" aria-label="Use it">
      <Group justify="space-between">
        <Title order={3} fz="md">
          Use it in
        </Title>
        {link !== null && (
          <SegmentedControl
            size="xs"
            aria-label="Address"
            value={prefersOwn ? 'own' : 'link'}
            onChange={(value) => setPrefersOwn(value === 'own')}
            data={[
              { value: 'own', label: 'Signed in' },
              { value: 'link', label: 'By link' },
            ]}
          />
        )}
      </Group>
      <Tabs value={recipe.id} onChange={(id) => id !== null && setChosen(id)}>
        <Tabs.List>
          {recipes.map(({ id, label }) => (
            <Tabs.Tab key={id} value={id} px="xs">
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {recipes.map(({ id }) => (
          <Tabs.Panel key={id} value={id} pt="sm">
            {id === recipe.id && <Shown recipe={recipe} address={address} />}
          </Tabs.Panel>
        ))}
      </Tabs>
    </Stack>
  );
}

interface ShownProps {
  readonly recipe: Recipe;
  readonly address: DataAddress;
}

function Shown({ recipe, address }: ShownProps) {
  const { external } = useSession().session;
  const obstacle = obstacleOf(recipe, address, external);
  if (obstacle !== null) return <Text size="sm">{obstacle}</Text>;
  const { label, steps, write, savedAs } = recipe;
  const text = write(address);
  const explanation = steps(address);
  const fileName = `${fileNameOf(address).replace(/\.\w+$/, '')}.${savedAs}`;
  return (
    <Stack gap="xs">
      {explanation !== '' && <Text size="sm">{explanation}</Text>}
      <Code block tabIndex={0} role="region" aria-label={`For ${label}`}>
        {text}
      </Code>
      <Group justify="flex-end">
        {savedAs === undefined ? (
          <CopyButton value={text} label="Copy" name={`Copy for ${label}`} withText size="xs" />
        ) : (
          <Button
            variant="default"
            size="xs"
            leftSection={<IconDownload size={14} aria-hidden />}
            onClick={() => saveFile(new Blob([text], { type: 'application/json' }), fileName)}
          >
            {`Download .${savedAs}`}
          </Button>
        )}
      </Group>
    </Stack>
  );
}

const anyOf = new Intl.ListFormat('en', { type: 'disjunction' });

/** Why a program cannot read an address, or null. */
function obstacleOf(
  { label, formats, signsInWith }: Recipe,
  { format, isLink }: DataAddress,
  isExternal: boolean,
): string | null {
  if (!formats.includes(format))
    return `${label} does not read ${formatLabels[format]} from an address. Choose ${anyOf.format(formats.map((each) => formatLabels[each]))}.`;
  if (isLink) return null;
  if (signsInWith === null) return `${label} cannot sign in. Create a link for it.`;
  if (signsInWith === 'password' && isExternal)
    return `${label} signs in with a password, which your account does not have. Create a link for it.`;
  return null;
}
