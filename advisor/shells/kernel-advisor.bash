# Completion of kernel-advisor for bash. The command itself knows what can stand next.

_kernel_advisor() {
    local kind known value strip=""
    COMPREPLY=()
    {
        IFS=$'\t' read -r kind known
        # bash completes only what follows a =: what stands before it is not repeated.
        [[ $known != *"$2" ]] || strip=${known%"$2"}
        while IFS=$'\t' read -r value _; do
            COMPREPLY+=("${value#"$strip"}")
        done
    } < <("${1/#\~\//$HOME/}" completion bash --line "${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
    # Of itself bash takes what follows an @ for the name of a host.
    [[ $kind$known != files*@ ]] || _kernel_advisor_at "$2"
    case $kind in
        folders) compopt +o default -o dirnames ;;
        words | nothing) compopt +o default ;;
    esac 2>/dev/null
    [[ ${COMPREPLY[0]-} != *[=@/] ]] || compopt -o nospace 2>/dev/null
    return 0
}

_kernel_advisor_at() {
    local path=${1#@} found
    local stem=${1%"$path"}
    while IFS= read -r found; do
        [[ ! -d $found ]] || found+=/
        COMPREPLY+=("$stem$found")
    done < <(compgen -f -- "$path")
}

complete -o default -F _kernel_advisor kernel-advisor
