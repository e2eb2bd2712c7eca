import { MultiSelect, Select, Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSession } from '../../../app/session.tsx';
import { allRoles } from '../../../app/whole-lists.ts';
import { NumberField } from '../../../components/fields/number-field.tsx';
import { compatibilityNames, type QueryDraft } from '../query-draft.ts';
import type { QueryEditor } from '../use-query-editor.ts';
import { findErrorAt } from './details-section.tsx';
import { Section } from './section.tsx';

export interface AccessSectionProps {
  readonly editor: QueryEditor;
  readonly readOnly: boolean;
}

export function AccessSection({ editor, readOnly }: AccessSectionProps) {
  const { draft, change, errors, saved } = editor;
  const { data } = useQuery(allRoles);
  const roles = [...new Set([...(data?.items.map(({ name }) => name) ?? []), ...draft.roles])];
  const { can } = useSession();
  const isActive = saved?.current.status === 'Active';
  const limit = can('queries.publish') ? '' : ' You can restrict access; only a publisher can extend it.';
  return (
    <Section title="Access" {...(isActive ? { description: `Changes apply to callers as soon as you save.${limit}` } : {})}>
      <MultiSelect
        label="Roles"
        description="The roles that can run it. Leave empty for every role."
        placeholder={draft.roles.length === 0 ? 'Every role' : ''}
        data={roles}
        value={[...draft.roles]}
        onChange={(chosen) => change((before) => ({ ...before, roles: chosen }))}
        searchable
        clearable={!readOnly}
        error={findErrorAt(errors, 'roles')}
        readOnly={readOnly}
      />
      <Switch
        label="AI access"
        description={
          draft.epilogue.trim() === ''
            ? 'Lets AI assistants run it.'
            : 'This query writes. With AI access, AI assistants can change data.'
        }
        checked={draft.aiAccess}
        onChange={({ currentTarget: { checked } }) => change((before) => ({ ...before, aiAccess: checked }))}
        error={errors.aiAccess}
        disabled={readOnly}
      />
      <Select
        label="Compatibility"
        description={
          draft.compatibility === 'warn'
            ? 'Activate shows what changes for callers.'
            : 'Activate needs a confirmation for changes that break callers; over the API, allowBreaking.'
        }
        data={Object.entries(compatibilityNames).map(([value, label]) => ({ value, label }))}
        value={draft.compatibility}
        onChange={(value) => change((before) => ({ ...before, compatibility: value === 'enforce' ? 'enforce' : 'warn' }))}
        allowDeselect={false}
        error={errors.compatibility}
        readOnly={readOnly}
      />
    </Section>
  );
}

export function LimitsSection({ editor, readOnly }: AccessSectionProps) {
  return (
    <Section title="Limits">
      <Limit
        {...{ editor, readOnly }}
        field="timeoutSeconds"
        label="Timeout (seconds)"
        hint="1 to 300"
        placeholder="Use default"
      />
      <Limit {...{ editor, readOnly }} field="maxRows" label="Maximum rows" hint="Per result" placeholder="Use default" />
      <Limit
        {...{ editor, readOnly }}
        field="cacheSeconds"
        label="Cache (seconds)"
        hint="How long identical calls share a result"
        placeholder="Off"
      />
    </Section>
  );
}

interface LimitProps extends AccessSectionProps {
  readonly field: 'timeoutSeconds' | 'maxRows' | 'cacheSeconds';
  readonly label: string;
  readonly hint: string;
  readonly placeholder: string; // what an empty field means
}

function Limit({ editor: { draft, change, errors }, readOnly, field, label, hint, placeholder }: LimitProps) {
  const set = (text: string) => change((before): QueryDraft => ({ ...before, [field]: text === '' ? null : Number(text) }));
  return (
    <NumberField
      whole
      label={label}
      description={hint}
      placeholder={placeholder}
      value={String(draft[field] ?? '')}
      onChange={set}
      maxLength={9}
      error={errors[field]}
      readOnly={readOnly}
    />
  );
}
