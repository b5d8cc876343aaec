# Boot arguments by kernel-advisor 0.1.0: power-saving
# For examples/x86_64-6.12.config.xz: Linux 6.12.117, x86
# grubby changes the entries of all kernels; run this as root.
grubby --update-kernel=ALL '--remove-args=elevator=deadline nohz=off idle=poll processor.max_cstate=1 intel_idle.max_cstate=0 transparent_hugepage=always clocksource=hpet mitigations=off' '--args=cpufreq.default_governor=schedutil workqueue.power_efficient=1'
