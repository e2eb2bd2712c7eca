import { Button, Text, UnstyledButton } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { Link } from '@tanstack/react-router';
import { useSession } from '../app/session.tsx';
import { IconCircleCheckFilled, IconCircleDashed } from '../components/icons.tsx';
import { listFirstSteps, isFinished, type Step } from './first-steps.ts';
import { HomeCard } from './home-card.tsx';
import classes from './home.module.css';
import { type Home, useProgress, useActiveQueries } from './use-home.ts';

/** A checklist for new users; hidden once it is complete or dismissed in this browser. */
export function FirstStepsCard({ home }: { readonly home: Home | undefined }) {
  const { session } = useSession();
  const [isHidden, setHidden] = useLocalStorage({
    key: 'sluice-first-steps-hidden',
    defaultValue: false,
    getInitialValueInEffect: false,
  });
  const { data, isLoading } = useActiveQueries(!isHidden);
  const queries = data?.items ?? [];
  const progress = useProgress(!isHidden, queries, home);
  if (isHidden || progress === undefined || isLoading || home === undefined) return null;
  const steps = listFirstSteps(session, queries, progress);
  if (isFinished(steps)) return null;
  return (
    <HomeCard
      title="First steps"
      aside={
        <Button variant="subtle" color="gray" size="compact-xs" onClick={() => setHidden(true)} aria-label="Hide first steps">
          Hide
        </Button>
      }
    >
      <ul style={{ listStyle: 'none', margin: 0, padding: 0 }}>
        {steps.map((step) => (
          <li key={step.title}>
            <StepLink step={step} />
          </li>
        ))}
      </ul>
    </HomeCard>
  );
}

function StepLink({ step: { title, hint, to, search = {}, done } }: { readonly step: Step }) {
  const isDone = done === true;
  const Icon = isDone ? IconCircleCheckFilled : IconCircleDashed;
  return (
    <UnstyledButton className={classes.step ?? ''} renderRoot={(props) => <Link to={to} search={search} {...props} />}>
      <Icon
        size={18}
        className={classes.tick}
        color={isDone ? 'var(--mantine-color-teal-text)' : 'var(--mantine-color-dimmed)'}
        aria-hidden
      />
      <div>
        <Text size="sm" fw={500} {...(isDone ? { c: 'dimmed' } : {})}>
          {title}
          {isDone && <span className="visually-hidden"> (done)</span>}
        </Text>
        {!isDone && (
          <Text size="xs" c="dimmed">
            {hint}
          </Text>
        )}
      </div>
    </UnstyledButton>
  );
}
