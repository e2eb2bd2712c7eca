import { Skeleton, Text } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { withParameter } from '../query-draft.ts';
import type { QueryEditor } from '../use-query-editor.ts';
import { Section } from './section.tsx';

// only for queries with parameters
const ParameterBlock = lazy(() => import('./parameter-block.tsx').then((module) => ({ default: module.ParameterBlock })));

export interface ParametersSectionProps {
  readonly editor: QueryEditor;
  readonly readOnly: boolean;
}

/** The parameters that were found in the SQL. */
export function ParametersSection({ editor, readOnly }: ParametersSectionProps) {
  const { parameters, change, errors, dialect } = editor;
  return (
    <Section title="Parameters" description="Write @Name in the SQL for each value that callers pass.">
      {parameters.length === 0 && <Text size="sm">No parameters yet.</Text>}
      {errors.parameters !== undefined && (
        <Text size="sm" c="var(--mantine-color-error)">
          {errors.parameters}
        </Text>
      )}
      <Suspense fallback={<Skeleton height={40} role="status" aria-label="Loading the parameters" />}>
        {parameters.map((parameter, index) => (
          <ParameterBlock
            key={parameter.name}
            parameter={parameter}
            others={parameters.filter(({ name }) => name !== parameter.name)}
            onChange={(changed) => change((draft) => withParameter(draft, changed, dialect))}
            errorOf={(field) => errors[`parameters.${index}.${field}`]}
            hasErrors={Object.keys(errors).some((field) => field.startsWith(`parameters.${index}.`))}
            readOnly={readOnly}
          />
        ))}
      </Suspense>
    </Section>
  );
}
