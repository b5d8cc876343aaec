# Boot arguments by kernel-advisor 1.0.0: power-saving
# For examples/x86_64-6.12.config.xz: Linux 6.12.117, x86
# grubby changes the entries of all kernels; run this as root.
#
# without nohz=off idle=poll processor.max_cstate=1:
# Timer tick handling: idle (no tick on idle CPUs) [must,
# power-saving/tick-mode]
# A tick that does not stop in idle wakes every processor from its idle state
# hundreds of times a second. NO_HZ_FULL without a list of CPUs behaves like
# NO_HZ_IDLE.
# Cost: idle or full: stopping and restarting the tick takes a little time at
# each change between idle and busy.
# Source: https://git.kernel.org/pub/scm/linux/kernel/git/stable/linux.git/tree/Documentation/timers/no_hz.rst?h=v6.12
#
# without mitigations=off:
# CPU vulnerability mitigations: automatic: all mitigations that this kernel
# has and this processor needs [must, power-saving/cpu-mitigations]
# A laptop runs code from web pages while its memory holds the owner's
# passwords. A laptop saves power while its processor is idle, and an idle
# processor executes no mitigation.
# Cost: auto or auto-nosmt: on vulnerable processors, work takes a little
# longer.
# Source: https://git.kernel.org/pub/scm/linux/kernel/git/stable/linux.git/tree/Documentation/admin-guide/hw-vuln/index.rst?h=v6.12
#
# cpufreq.default_governor=schedutil:
# CPU frequency governor: schedutil (by the scheduler's load figures) [should,
# power-saving/cpufreq-governor]
# The governor schedutil raises the clock for work and lowers it afterwards. A
# driver that picks the clock itself also raises the clock for work and lowers
# it afterwards. `performance` holds the clock high. With drivers that do not
# pick the clock, `powersave` holds the clock low, so that work takes longer.
# `ondemand` estimates the load from samples, although the scheduler already
# knows the load.
# Cost: schedutil: the clock rises a moment after the load does.
# Source: https://git.kernel.org/pub/scm/linux/kernel/git/stable/linux.git/tree/Documentation/admin-guide/pm/cpufreq.rst?h=v6.12
#
# workqueue.power_efficient=1:
# Power-efficient workqueues: on [should,
# power-saving/workqueue-power-efficient]
# With this option, deferred work runs on a CPU that is awake, instead of
# waking the CPU that asked for it.
# Cost: On: some kernel work runs with a cold cache.
# Source: https://git.kernel.org/pub/scm/linux/kernel/git/stable/linux.git/tree/kernel/power/Kconfig?h=v6.12.117#n332
#
# without clocksource=hpet:
# Clock source: automatic [should, power-saving/clocksource]
# Reading the processor's own counter is fast. Reading a clock forced by
# clocksource= takes a system call and an access over a slow bus. The
# processor has to stay awake during this access.
# Cost: Set: on x86, each read of most counters other than the TSC needs a bus
# access and a system call. Reading a hypervisor's clock needs neither a bus
# access nor a system call.
# Source: https://git.kernel.org/pub/scm/linux/kernel/git/stable/linux.git/tree/kernel/time/clocksource.c?h=v6.12.117#n1542
grubby --update-kernel=ALL '--remove-args=elevator=deadline nohz=off idle=poll processor.max_cstate=1 intel_idle.max_cstate=0 transparent_hugepage=always clocksource=hpet mitigations=off' '--args=cpufreq.default_governor=schedutil workqueue.power_efficient=1'
