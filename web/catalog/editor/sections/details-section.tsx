import { TagsInput, Textarea } from '@mantine/core';
import { useTags } from '../../list/use-tags.ts';
import type { QueryEditor } from '../use-query-editor.ts';
import { Section } from './section.tsx';

export interface DetailsSectionProps {
  readonly editor: QueryEditor;
  readonly readOnly: boolean;
}

export function DetailsSection({ editor, readOnly }: DetailsSectionProps) {
  const { draft, change, errors, saved } = editor;
  const known = useTags();
  const isActive = saved?.current.status === 'Active';
  return (
    <Section title="Details" {...(isActive ? { description: 'Callers see changes as soon as you save.' } : {})}>
      <Textarea
        label="Description"
        description="What the query returns."
        autosize
        minRows={2}
        maxRows={8}
        value={draft.description}
        onChange={({ currentTarget: { value } }) => change((before) => ({ ...before, description: value }))}
        error={errors.description}
        readOnly={readOnly}
      />
      <Textarea
        label="Tip"
        description="How to use it."
        autosize
        minRows={1}
        maxRows={6}
        value={draft.tip}
        onChange={({ currentTarget: { value } }) => change((before) => ({ ...before, tip: value }))}
        error={errors.tip}
        readOnly={readOnly}
      />
      <TagsInput
        label="Tags"
        description="Keywords for the search."
        placeholder={draft.tags.length === 0 ? 'Type a tag and press Enter' : ''}
        data={[...known]}
        value={[...draft.tags]}
        onChange={(tags) => change((before) => ({ ...before, tags }))}
        maxLength={50}
        acceptValueOnBlur
        error={findErrorAt(errors, 'tags')}
        readOnly={readOnly}
      />
    </Section>
  );
}

/** The error of a list field, or of one of its items. */
export const findErrorAt = (errors: Readonly<Record<string, string>>, field: string): string | undefined =>
  Object.entries(errors).find(([path]) => path === field || path.startsWith(`${field}.`))?.[1];
