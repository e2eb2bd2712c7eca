import { Skeleton, Text } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { withParameter } from '../query-draft.ts';
import type { QueryEditor } from '../use-query-editor.ts';
import { Section } from './section.tsx';

// for queries that have parameters
const ParameterBlock = lazy(() => import('./parameter-block.tsx').then((module) => ({ default: module.ParameterBlock })));

export interface ParametersSectionProps {
  readonly editor: QueryEditor;
  readonly readOnly: boolean;
}

/** What the text asks for, found in it; its author says what each one is. */
export function ParametersSection({ editor, readOnly }: ParametersSectionProps) {
  const { parameters, change, errors } = editor;
  return (
    <Section title="Parameters" description="Found in the SQL: write @Name wherever callers give a value.">
      {parameters.length === 0 && <Text size="sm">The SQL names none yet.</Text>}
      {errors.parameters !== undefined && (
        <Text size="sm" c="var(--mantine-color-error)">
          {errors.parameters}
        </Text>
      )}
      <Suspense fallback={<Skeleton height={180} role="status" aria-label="Loading the parameters" />}>
        {parameters.map((parameter, index) => (
          <ParameterBlock
            key={parameter.name}
            parameter={parameter}
            onChange={(changed) => change((draft) => withParameter(draft, changed))}
            errorOf={(field) => errors[`parameters.${index}.${field}`]}
            readOnly={readOnly}
          />
        ))}
      </Suspense>
    </Section>
  );
}
